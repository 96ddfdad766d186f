package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Class     string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitFailure `xml:"failure,omitempty"`
	Skipped   *junitSkipped `xml:"skipped,omitempty"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes the report as JUnit XML: a test case for each scenario. JUnit knows no warnings; a scenario that
// only warns is a passed case that says so in its output.
func WriteJUnit(w io.Writer, r *Report) error {
	suite := junitSuite{
		Name: r.Protocol + " " + r.Target.Role + ": " + r.Target.Name, Tests: int(r.Summary.Scenarios),
		Failures: int(r.Summary.Failed), Skipped: int(r.Summary.Skipped), Time: seconds(r.Summary.Seconds),
	}
	for _, s := range r.Scenarios {
		c := junitCase{Name: s.ID + ": " + s.Title, Class: "hallmark." + r.Protocol, Time: seconds(s.Seconds)}
		var details strings.Builder
		if len(s.Failures) > 0 {
			writeFailures(&details, r, &s, style{})
		}
		text := clean(details.String())
		switch s.Verdict {
		case Fail:
			c.Failure = &junitFailure{Message: clean(s.Failures[0].Requirement + ": " + s.Failures[0].Reason), Type: s.Failures[0].Requirement, Text: text}
		case Warn:
			c.SystemOut = text
		case Skip:
			c.Skipped = &junitSkipped{clean(s.Reason.Value)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	all := junitSuites{Tests: suite.Tests, Failures: suite.Failures, Skipped: suite.Skipped, Time: suite.Time, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// clean replaces what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r < ' ' && r != '\n' && r != '\t' && r != '\r', r == 0xFFFE, r == 0xFFFF:
			return '\uFFFD'
		}
		return r
	}, s)
}
