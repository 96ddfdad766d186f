package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model/scripted"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/schemata"
)

// HostTool is a tool that the host carries out itself.
type HostTool struct {
	Definition       model.Tool
	RequiresApproval bool
	input            *schemata.Schema
	do               func(ctx context.Context, input string, arguments wire.Raw) (wire.Raw, error)
}

// HostTools makes the tools of a configuration. What they do is counted on the
// stage, under the name of the run's script.
func HostTools(list []config.Tool, stage *scripted.Stage) (map[string]*HostTool, error) {
	tools := map[string]*HostTool{}
	for _, t := range list {
		input, err := schemata.Compile(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("the input schema of the tool %s: %w", t.Name, err)
		}
		if tools[t.Name] != nil {
			return nil, fmt.Errorf("there are two tools %s", t.Name)
		}
		work := works[t.Does]
		tools[t.Name] = &HostTool{input: input, RequiresApproval: t.RequiresApproval,
			Definition: model.Tool{Name: t.Name, Description: t.Description, InputSchema: wire.Raw(t.InputSchema)},
			do: func(ctx context.Context, runInput string, arguments wire.Raw) (wire.Raw, error) {
				name := scripted.NameOf(runInput)
				stage.Tool(name, t.Name)
				output, err := work(ctx, arguments)
				if ctx.Err() != nil {
					stage.Cancelled(name)
				}
				return output, err
			}}
	}
	return tools, nil
}

// works are the things that host tools do.
var works = map[string]func(context.Context, wire.Raw) (wire.Raw, error){
	"echo": func(_ context.Context, arguments wire.Raw) (wire.Raw, error) { return arguments, nil },
	"fail": func(context.Context, wire.Raw) (wire.Raw, error) { return nil, errors.New("broken tool secret") },
	"block": func(ctx context.Context, _ wire.Raw) (wire.Raw, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"large": func(context.Context, wire.Raw) (wire.Raw, error) {
		return wire.Raw(`"` + strings.Repeat("x", maxHostOutput-1) + `"`), nil
	},
}

// inputOr is the schema of the arguments, of whichever of the two tools there
// is.
func (t *HostTool) inputOr(app *appTool) *schemata.Schema {
	if t != nil {
		return t.input
	}
	return app.input
}
