package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// MaxSize is the size in bytes beyond which a file is not one that a person has written.
const MaxSize = 4 << 20

// ReadFile reads a file of a suite. What is no regular file, or is larger than [MaxSize], is refused before it is read.
// shown is the name in errors.
func ReadFile(fsys fs.FS, name, shown string) ([]byte, error) {
	// A pipe would be waited for when it is opened: look first.
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := regular(info, shown); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(data) > MaxSize {
		err = tooLarge(shown)
	}
	return data, err
}

// ReadPath is [ReadFile] for a path of the machine.
func ReadPath(path string) ([]byte, error) {
	data, err := ReadFile(os.DirFS(filepath.Dir(path)), filepath.Base(path), path)
	if errors.Is(err, fs.ErrNotExist) {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return data, err
}

func regular(info fs.FileInfo, shown string) error {
	if !info.Mode().IsRegular() {
		return &Error{File: shown, Reason: "this is no regular file"}
	}
	if info.Size() > MaxSize {
		return tooLarge(shown)
	}
	return nil
}

func tooLarge(shown string) error {
	return &Error{File: shown, Reason: fmt.Sprintf("the file is larger than %d MiB: no such file is written by hand", MaxSize>>20)}
}

// checkText refuses what the YAML library would take very long, or much memory, to refuse: text that is not UTF-8, a
// byte order mark, control characters, and nesting of brackets beyond any use. It returns nil for all else; brackets
// within quotes and comments count, which the bound allows for.
func checkText(name string, data []byte) *Error {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return &Error{File: name, Line: 1, Column: 1, Reason: "the file begins with a byte order mark: save it without one"}
	}
	line, column, depth := 1, 0, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		data = data[n:]
		column++
		switch {
		case r == utf8.RuneError && n == 1:
			return &Error{File: name, Line: line, Column: column, Reason: "this is not UTF-8"}
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r' || r == 0x7f:
			return &Error{File: name, Line: line, Column: column, Reason: fmt.Sprintf("a control character (U+%04X) is not allowed here", r)}
		case r == '[' || r == '{':
			if depth++; depth > maxBrackets {
				return &Error{File: name, Line: line, Column: column, Reason: fmt.Sprintf("nested deeper than %d", maxDepth)}
			}
		case (r == ']' || r == '}') && depth > 0:
			depth--
		}
	}
	return nil
}

// maxBrackets leaves room for opening brackets in texts, which are never closed.
const maxBrackets = 5 * maxDepth
