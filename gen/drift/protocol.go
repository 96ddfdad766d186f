package drift

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// ParseProtocol reads from a protocol.yaml who sends the messages that one of its
// documents describes, and which role is the host: the one it lists first.
// document is the name of the file beside it.
func ParseProtocol(name string, data []byte, document string) (messages []Message, host string, err error) {
	var p struct {
		Roles    yaml.MapSlice     `yaml:"roles"`
		Names    map[string]string `yaml:"names"`
		Messages []struct {
			Type     string `yaml:"type"`
			Document string `yaml:"document"`
			From     string `yaml:"from"`
			To       string `yaml:"to"`
		} `yaml:"messages"`
		Methods []struct {
			Name string `yaml:"name"`
			From string `yaml:"from"`
			To   string `yaml:"to"`
		} `yaml:"methods"`
		Operations yaml.MapSlice `yaml:"operations"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
		return nil, "", fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if len(p.Roles) > 0 {
		host = fmt.Sprint(p.Roles[0].Key)
	}
	for _, m := range p.Messages {
		file, pointer, _ := strings.Cut(m.Document, "#")
		if file != document {
			continue
		}
		if pointer == "" {
			for at, pinned := range p.Names {
				if rest, ours := strings.CutPrefix(at, document+"#"); ours && pinned == m.Type {
					pointer = rest
				}
			}
		}
		messages = append(messages, Message{Name: m.Type, Pointer: pointer, From: m.From, To: m.To})
	}
	for _, m := range p.Methods {
		messages = append(messages,
			Message{Name: m.Name + ".params", Optional: true, From: m.From, To: m.To},
			Message{Name: m.Name + ".result", Optional: true, From: m.To, To: m.From})
	}
	client := ""
	if len(p.Roles) > 1 {
		client = fmt.Sprint(p.Roles[1].Key)
	}
	answer := func(operation, name string, at any) {
		text, _ := at.(string)
		if file, pointer, _ := strings.Cut(text, "#"); file == document && pointer != "" {
			messages = append(messages, Message{Name: operation + " " + name, Where: operation, Pointer: pointer, From: host, To: client})
		}
	}
	// What is streamed and answered is not always said in the description itself.
	for _, o := range p.Operations {
		operation := fmt.Sprint(o.Key)
		says, _ := o.Value.(map[string]any)
		answer(operation, "event", says["events"])
		answers, _ := says["answers"].(map[string]any)
		for _, status := range slices.Sorted(maps.Keys(answers)) {
			answer(operation, "answer "+status, answers[status])
		}
	}
	return messages, host, nil
}
