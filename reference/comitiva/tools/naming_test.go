package tools

import (
	"regexp"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
)

func TestSlugs(t *testing.T) {
	tests := []struct {
		name, server, builtin, want string
	}{
		{"plain", "clock", "", "clock"},
		{"lower case", "GitHub", "", "github"},
		{"runs of other characters become one underscore", "My  --Tool Server", "", "my_tool_server"},
		{"none at the ends", "  notes! ", "", "notes"},
		{"at most twenty characters", "abcdefghijklmnopqrstuvwxyz", "", "abcdefghijklmnopqrst"},
		{"no underscore where it was cut", "abcdefghijklmnopqrs tuv", "", "abcdefghijklmnopqrs"},
		{"nothing left", "日本", "", "mcp"},
		{"the file system server", "Files", "filesystem", "fs"},
		{"the Google Drive server", "Drive", "google-drive", "gdrive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := new(Names).Slug(tt.server, tt.builtin); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTakenSlugsAreNumbered(t *testing.T) {
	var n Names
	for _, want := range []string{"clock", "clock_2", "clock_3"} {
		if got := n.Slug("Clock", ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestToolNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	tests := []struct{ name, tool, want string }{
		{"prefixed", "read_file", "fs__read_file"},
		{"other characters become underscores", "read file.é", "fs__read_file__"},
		{"exactly as long as allowed", strings.Repeat("x", 60), "fs__" + strings.Repeat("x", 60)},
		{"too long: cut, with a digest", long, "fs__" + strings.Repeat("x", 51) + "_b60befb4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := new(Names).Tool("fs", tt.tool)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestToolNamesFitProvidersAndAreUnique(t *testing.T) {
	fits := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("every name fits and none is given twice", prop.ForAll(
		func(servers []string, tool string) bool {
			var n Names
			seen := map[string]bool{}
			for _, s := range servers {
				slug := n.Slug(s, "")
				for _, name := range []string{tool, tool, tool + "é", strings.Repeat(tool, 9)} {
					got := n.Tool(slug, name)
					if !fits.MatchString(got) || seen[got] {
						return false
					}
					seen[got] = true
				}
			}
			return true
		},
		gen.SliceOf(gen.AnyString()), gen.AnyString(),
	))
	properties.TestingRun(t)
}
