package canonical

import "testing"

// The expected texts and digests are those of JavaScript: JSON.stringify with
// sorted members.
func TestJSONAsJavaScriptWritesIt(t *testing.T) {
	tests := []struct{ name, text, want, digest string }{
		{"numbers", `{"b":1,"a":[1.0,1e2,-0,1e21,1e-7,123456789012345680000,0.1,5e-324,1.7976931348623157e308,1E400,100,1e20,0.000001,-1.5e-10]}`,
			`{"a":[1,100,0,1e+21,1e-7,123456789012345680000,0.1,5e-324,1.7976931348623157e+308,null,100,100000000000000000000,0.000001,-1.5e-10],"b":1}`,
			"9badae01b6eb8c2f4f425eb431b4da77506e375546f319b0e985dd39e1b0337d"},
		{"members by UTF-16 code units", `{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"a":4,"A":5,"":6}`, "{\"\":6,\"A\":5,\"a\":4,\"\u20ac\":3,\"\U0001f600\":2,\"\ufb33\":1}",
			"2bcf9719efc6384a2b1b5ddde7b74ee6702232e3c5ad842cbf08eec1f5f4d60b"},
		{"what Go would escape", `"<>&\u2028\u2029\u007f\u0001\b\t\n\f\r\"\\\/\u00e9"`, "\"<>&\u2028\u2029\u007f\\u0001\\b\\t\\n\\f\\r\\\"\\\\/é\"",
			"510fc16507e7a36ad029da6d2ebd005cd69aaf12db8885b02ff1fb8f4e945dba"},
		{"literals", "[ true , false,\n null, {\"x\":{},\"y\":[]} ]", `[true,false,null,{"x":{},"y":[]}]`,
			"4e00a88ddf1a934618a82a33a246c412fb48f8715d37a945681b59651a77869f"},
		{"the last of two members counts", `{"a":1,"a":2}`, `{"a":2}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := JSON([]byte(tt.text))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
			if digest, err := Digest([]byte(tt.text)); tt.digest != "" && digest != tt.digest {
				t.Errorf("got %s, %v", digest, err)
			}
		})
	}
}

func TestWhatIsNoJSONHasNoCanonicalForm(t *testing.T) {
	for _, text := range []string{"", "{", "nul", `{"a":}`} {
		if got, err := JSON([]byte(text)); err == nil {
			t.Errorf("%q gives %s", text, got)
		}
	}
}
