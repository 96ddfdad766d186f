package scenario

import "encoding/json"

// file is a scenario as it is written (schemas/hallmark/scenario.json).
type file struct {
	Title   string   `json:"title"`
	Why     string   `json:"why"`
	Role    string   `json:"role"`
	Decides []string `json:"decides"`
	Fault   string   `json:"fault"`
	Needs   []string `json:"needs"`
	Without []string `json:"without"`
	Slow    bool     `json:"slow"`
	Files   map[string]struct {
		Text       string `json:"text"`
		Executable bool   `json:"executable"`
	} `json:"files"`
	Debug  bool       `json:"debug"`
	Within string     `json:"within"`
	Steps  []fileStep `json:"steps"`
}

type fileStep struct {
	Note         string            `json:"note"`
	For          string            `json:"for"`
	Within       string            `json:"within"`
	Send         json.RawMessage   `json:"send"`
	SendTogether []json.RawMessage `json:"send together"`
	Raw          *struct {
		Text   *string `json:"text"`
		Base64 *string `json:"base64"`
		Times  int     `json:"times"`
	} `json:"raw"`
	Invalid    string            `json:"invalid"`
	LineEnd    string            `json:"line end"`
	SplitEvery int               `json:"split every"`
	SplitAt    []int             `json:"split at"`
	Count      json.RawMessage   `json:"count"`
	ValidAs    map[string]string `json:"valid as"`
	Silence    *struct {
		For   string          `json:"for"`
		About json.RawMessage `json:"about"`
		Of    string          `json:"of"`
	} `json:"silence"`
	Never *struct {
		About json.RawMessage `json:"about"`
		Of    string          `json:"of"`
	} `json:"never"`
	InAnyOrder []fileStep `json:"in any order"`
	InOrder    []fileStep `json:"in order"`
	Parallel   []fileStep `json:"parallel"`
	Repeat     *struct {
		Times  int        `json:"times"`
		As     string     `json:"as"`
		AtOnce bool       `json:"at once"`
		Steps  []fileStep `json:"steps"`
	} `json:"repeat"`
	Observe string `json:"observe"`
	Release *struct {
		Of   string `json:"of"`
		Gate string `json:"gate"`
	} `json:"release"`
	Close  string `json:"close"`
	Signal string `json:"signal"`
	Exit   *struct {
		Status *int   `json:"status"`
		Signal string `json:"signal"`
	} `json:"exit"`
}
