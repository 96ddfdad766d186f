package document

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Loader fetches a document that a reference names and the set does not hold.
// The uri has no fragment: an absolute URI, or a slash-separated path when the
// referring file was itself named by a path. A Loader that has no such document
// returns an error that satisfies errors.Is(err, fs.ErrNotExist).
type Loader func(uri string) ([]byte, error)

// Set is the files that may refer to each other. It is not safe for use from
// several goroutines while files are being opened.
type Set struct {
	// Loader is asked for what the set does not hold; nil means nothing is fetched.
	Loader Loader
	files  []*File
	byURI  map[string]*File
}

// NewSet makes a set of files. Of two files with the same name the first counts;
// use Add to be told.
func NewSet(files ...*File) *Set {
	s := &Set{byURI: make(map[string]*File)}
	for _, f := range files {
		s.add(f)
	}
	return s
}

// Add puts a file into the set; one name can be used once, and so can the URI that a description gives itself.
func (s *Set) Add(f *File) error {
	for _, uri := range []string{CleanURI(f.Name), f.Base()} {
		switch other := s.byURI[uri]; {
		case other == nil:
		case CleanURI(other.Name) == CleanURI(f.Name):
			return fmt.Errorf("%s: two documents of one set have this name", f.Name)
		default:
			return fmt.Errorf("%s: %s and this document are both %s, by name or by $self", f.Name, other.Name, uri)
		}
	}
	s.add(f)
	return nil
}

func (s *Set) add(f *File) {
	key := CleanURI(f.Name)
	if s.byURI[key] != nil {
		return
	}
	s.byURI[key] = f
	// References may name it by what it says of itself, too (OpenAPI 3.2.0, OpenAPI Object, $self).
	if base := f.Base(); s.byURI[base] == nil {
		s.byURI[base] = f
	}
	s.files = append(s.files, f)
}

// Files gives the files of the set, in the order they were added or loaded.
func (s *Set) Files() []*File { return s.files }

// ErrNotHeld is what Open answers for a document that the set neither holds nor
// has a Loader for.
var ErrNotHeld = errors.New("no such document in the set, and nothing to load it with")

// Open gives the file of a URI or path without fragment, loading it if need be.
func (s *Set) Open(uri string) (*File, error) {
	key := CleanURI(uri)
	if f := s.byURI[key]; f != nil {
		return f, nil
	}
	if s.Loader == nil {
		return nil, ErrNotHeld
	}
	data, err := s.Loader(key)
	if err != nil {
		return nil, err
	}
	f, err := Parse(key, data)
	if err != nil {
		return nil, err
	}
	if held := s.byURI[f.Base()]; held != nil && held.SHA256 == f.SHA256 {
		s.byURI[key] = held // the same description, by another name
		return held, nil
	}
	if err := s.Add(f); err != nil {
		return nil, err
	}
	return f, nil
}

// ShortNames maps the names of files to their last parts, with as many of the parts
// before it as it takes to tell one file from the other.
func ShortNames(files []*File) map[string]string {
	short := make(map[string]string, len(files))
	rest := files
	for parts := 1; len(rest) > 0; parts++ {
		used := map[string]int{}
		for _, f := range rest {
			short[f.Name] = lastParts(f.Name, parts)
			used[short[f.Name]]++
		}
		var same []*File
		for _, f := range rest {
			if used[short[f.Name]] > 1 && short[f.Name] != f.Name {
				same = append(same, f)
			}
		}
		rest = same
	}
	return short
}

// lastParts gives the last so many parts of a name, or all there are.
func lastParts(name string, n int) string {
	at := len(name)
	for range n {
		if at = strings.LastIndexByte(name[:at], '/'); at < 0 {
			return name
		}
	}
	return name[at+1:]
}

// CleanURI brings a URI or path without fragment into the form the set compares
// by: paths cleaned and with forward slashes, URIs as they are.
func CleanURI(uri string) string {
	if hasScheme(uri) {
		return strings.TrimSuffix(uri, "#")
	}
	return path.Clean(strings.ReplaceAll(uri, `\`, "/"))
}

// ResolveURI resolves a URI reference against a base (RFC 3986 section 5). The
// base may be a plain path; the result then is one too unless ref has a scheme.
// The fragment is given apart, percent-decoded.
func ResolveURI(base, ref string) (uri, fragment string, err error) {
	u, err := url.Parse(ref)
	if err != nil {
		return "", "", fmt.Errorf("%q is not a URI reference", ref)
	}
	fragment = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	switch {
	case u.Scheme != "":
		return u.String(), fragment, nil
	case u.Host == "" && u.Path == "" && u.RawQuery == "" && u.Opaque == "":
		return base, fragment, nil
	case !hasScheme(base):
		if u.Host != "" || strings.HasPrefix(u.Path, "/") {
			return u.String(), fragment, nil
		}
		return path.Join(path.Dir(base), u.Path), fragment, nil
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", "", fmt.Errorf("%q is not a URI", base)
	}
	if b.Opaque != "" {
		return "", "", fmt.Errorf("%q cannot be resolved against %q, which has no hierarchy", ref, base)
	}
	return b.ResolveReference(u).String(), fragment, nil
}

// hasScheme tells a URI from a path; one letter and a colon is a drive.
func hasScheme(s string) bool {
	i := strings.IndexByte(s, ':')
	if i < 2 {
		return false
	}
	for j := 0; j < i; j++ {
		c := s[j] | 0x20
		if (c < 'a' || c > 'z') && (j == 0 || !strings.ContainsRune("0123456789+-.", rune(s[j]))) {
			return false
		}
	}
	return true
}
