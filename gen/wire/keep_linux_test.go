package wire

import (
	"syscall"
	"testing"
)

// Words are read without a bounds check: a message that ends where readable memory ends shows a word too many.
func TestNothingBehindAMessageIsRead(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(memory)
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	rule := &TextRule{Place: At("d.json", "/text")}
	for _, text := range borderTexts() {
		for _, form := range []string{`"` + text + `"`, `"` + text, `["` + text + `"]`, `{"` + text + `":"` + text + `"}`, `{"k":1,"` + text + `":[12]}`} {
			data := memory[page-len(form) : page : page]
			copy(data, form)
			for _, read := range []func(*Reader){
				func(r *Reader) { var v string; r.ReadText(rule, &v) },
				func(r *Reader) { r.CheckText(rule) },
				func(r *Reader) { r.Skip() },
				func(r *Reader) { _, _ = r.Raw() },
				func(r *Reader) { walk(r) },
				func(r *Reader) { _, _, _ = r.PeekMember("k") },
				func(r *Reader) {
					if r.Kind() == KindObject && r.Object() {
						names := &Names{List: []string{"k", "aaaaaaaaab"}}
						for k := r.Next(names, -1); k != End && r.Skip(); k = r.Next(names, k) {
							_ = r.Name()
						}
					}
				},
			} {
				r := AcquireDecode(data, nil)
				read(r)
				_ = r.Close()
			}
		}
	}
}
