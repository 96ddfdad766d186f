//go:build !linux

package stdio

// AdoptOrphans does nothing here: only Linux lets a process adopt what its descendants leave behind.
func AdoptOrphans() error { return nil }

func startNoted(p *Process) error { return startChild(p.cmd) }

func buryOrphans(*Process) {}
