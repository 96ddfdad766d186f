package scenario

import "time"

// Patient is the scenario with bounds that are times as long. How long silence is listened for stays the same.
func (s *Scenario) Patient(times float64) *Scenario {
	out := *s
	out.Within, out.Steps = longer(s.Within, times), patient(s.Steps, times)
	return &out
}

func patient(steps []*Step, times float64) []*Step {
	out := make([]*Step, len(steps))
	for i, s := range steps {
		one := *s
		one.Within, one.Steps = longer(s.Within, times), patient(s.Steps, times)
		out[i] = &one
	}
	return out
}

func longer(d time.Duration, times float64) time.Duration { return time.Duration(float64(d) * times) }
