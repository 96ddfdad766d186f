package sample

import (
	"bytes"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// maxTrials bounds how often Shrink asks.
const maxTrials = 5000

// Shrink makes a message smaller as long as stillFails says that it shows the
// same fault, and gives the smallest found: values are replaced by parts of
// themselves or by simple ones, members and items dropped, strings and numbers
// cut, and what is no JSON cut byte by byte. stillFails must be true of json
// itself, else json is what is given back. It is asked a bounded number of times.
func Shrink(json []byte, stillFails func([]byte) bool) []byte {
	s := shrinker{best: json, fails: stillFails}
	for {
		before := s.best
		s.structure()
		if len(s.best) == len(before) {
			s.cut()
		}
		if len(s.best) == len(before) || s.trials >= maxTrials {
			return s.best
		}
	}
}

type shrinker struct {
	best   []byte
	fails  func([]byte) bool
	trials int
}

// try takes a candidate if it is smaller, or as long and simpler, and still fails.
func (s *shrinker) try(json []byte) bool {
	if len(json) > len(s.best) || len(json) == len(s.best) && bytes.Compare(json, s.best) >= 0 || s.trials >= maxTrials {
		return false
	}
	s.trials++
	if !s.fails(json) {
		return false
	}
	s.best = json
	return true
}

// structure shrinks the tree, large steps first, until no step helps.
func (s *shrinker) structure() {
	root, err := decode(s.best)
	if err != nil {
		return
	}
	s.try(encode(root)) // without white space
	for again := true; again && s.trials < maxTrials; {
		again = false
		if root, err = decode(s.best); err != nil {
			return
		}
		// From the root down: what goes whole needs no shrinking inside.
		todo := [][]int{nil}
		for len(todo) > 0 && s.trials < maxTrials {
			path := todo[0]
			todo = todo[1:]
			if s.reduce(&root, path) {
				again = true
			}
			for i := range children(at(root, path)) {
				todo = append(todo, append(slices.Clone(path), i))
			}
		}
	}
}

// reduce shrinks the value at one place as far as single steps go.
func (s *shrinker) reduce(root **value, path []int) bool {
	done := false
	for again := true; again; {
		again = false
		for _, v := range simpler(at(*root, path)) {
			if candidate := replace(*root, path, v); s.try(encode(candidate)) {
				*root, done, again = candidate, true, true
				break
			}
		}
	}
	return done
}

// simpler gives values to put in the place of v, the smallest first.
func simpler(v *value) []*value {
	var all []*value
	if children(v) > 0 {
		all = append(all, null(), number("0"), text(""), array(), object())
		for i := range children(v) {
			all = append(all, child(v, i))
		}
	}
	switch v.Kind {
	case document.Object:
		for size := len(v.Members) / 2; size > 0; size /= 2 {
			for i := 0; i < len(v.Members); i += size {
				all = append(all, object(slices.Delete(slices.Clone(v.Members), i, min(i+size, len(v.Members)))...))
			}
		}
	case document.Array:
		for size := len(v.Items) / 2; size > 0; size /= 2 {
			for i := 0; i < len(v.Items); i += size {
				all = append(all, array(slices.Delete(slices.Clone(v.Items), i, min(i+size, len(v.Items)))...))
			}
		}
	case document.String:
		r := []rune(v.Text)
		for size := len(r); size > 0; size /= 2 {
			for i := 0; i < len(r); i += size {
				all = append(all, text(string(r[:i])+string(r[min(i+size, len(r)):])))
			}
		}
		for i, c := range r {
			if c != 'a' {
				all = append(all, text(string(r[:i])+"a"+string(r[i+1:])))
			}
		}
	case document.Number:
		all = append(all, number("0"), number("1"), number(v.Decimal().String()))
		for i := range v.Text {
			short := v.Text[:i] + v.Text[i+1:]
			if w, err := decode([]byte(short)); err == nil {
				all = append(all, w)
			}
		}
	case document.Bool:
		all = append(all, null())
	}
	return all
}

// cut drops runs of bytes, shorter and shorter ones.
func (s *shrinker) cut() {
	for size := len(s.best) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(s.best); {
			if !s.try(slices.Delete(slices.Clone(s.best), i, i+size)) {
				i += size
			}
		}
	}
}
