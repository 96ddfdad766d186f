package config

import (
	"fmt"
	"time"
)

// Limits bound what a host does at a time and for how long. Times are in
// milliseconds.
type Limits struct {
	Slots              int   `json:"slots"`              // executions at a time
	SlotsPerSubject    int   `json:"slotsPerSubject"`    // of them for one subject
	Queue              int   `json:"queue"`              // executions that may wait for a slot
	IdleTimeoutMs      int64 `json:"idleTimeoutMs"`      // 0: none
	MaxSteps           int64 `json:"maxSteps"`           // cap of a run's steps
	Approvals          int   `json:"approvals"`          // pending at a time
	Executions         int   `json:"executions"`         // pending application tool executions at a time
	HeartbeatMs        int64 `json:"heartbeatMs"`        // between comments on a quiet stream
	WriteTimeoutMs     int64 `json:"writeTimeoutMs"`     // until a stream that nobody reads is cut off
	Sessions           int   `json:"sessions"`           // at a time
	SessionRetentionMs int64 `json:"sessionRetentionMs"` // of an idle session
	Jobs               int   `json:"jobs"`               // kept, tombstones included
	JobRetentionMs     int64 `json:"jobRetentionMs"`     // of an ended job's events
	JobLeaseMs         int64 `json:"jobLeaseMs"`         // until a silent worker counts as lost
	JobPollMs          int64 `json:"jobPollMs"`          // between looks at a job's authority
	JobWorkers         int   `json:"jobWorkers"`         // jobs that run at a time
	SetupMs            int64 `json:"setupMs"`            // of a sign-in attempt
	Connections        int   `json:"connections"`        // paired clients
	Operations         int   `json:"operations"`         // idempotency records
	DiscoveryCacheMs   int64 `json:"discoveryCacheMs"`   // of a provider's health and catalogue
}

// defaultLimits are those of a document that names none.
func defaultLimits() Limits {
	return Limits{Slots: 32, SlotsPerSubject: 4, MaxSteps: 64, Approvals: 1000, Executions: 1000, HeartbeatMs: 15_000,
		WriteTimeoutMs: 60_000, Sessions: 1000, SessionRetentionMs: 1_800_000, Jobs: 1000, JobRetentionMs: 86_400_000,
		JobLeaseMs: 30_000, JobPollMs: 250, JobWorkers: 2, SetupMs: 900_000, Connections: 1000, Operations: 100_000, DiscoveryCacheMs: 30_000}
}

// check refuses limits with which a host could do nothing, or would spin.
func (l *Limits) check() error {
	for _, one := range []struct {
		name         string
		value, least int64
	}{
		{"slots", int64(l.Slots), 1}, {"slotsPerSubject", int64(l.SlotsPerSubject), 1}, {"queue", int64(l.Queue), 0}, {"idleTimeoutMs", l.IdleTimeoutMs, 0},
		{"maxSteps", l.MaxSteps, 1}, {"approvals", int64(l.Approvals), 0}, {"executions", int64(l.Executions), 0}, {"heartbeatMs", l.HeartbeatMs, 1},
		{"writeTimeoutMs", l.WriteTimeoutMs, 1}, {"sessions", int64(l.Sessions), 0}, {"sessionRetentionMs", l.SessionRetentionMs, 1},
		{"jobs", int64(l.Jobs), 0}, {"jobRetentionMs", l.JobRetentionMs, 1}, {"jobLeaseMs", l.JobLeaseMs, 1}, {"jobPollMs", l.JobPollMs, 1},
		{"jobWorkers", int64(l.JobWorkers), 0}, {"setupMs", l.SetupMs, 1}, {"connections", int64(l.Connections), 0},
		{"operations", int64(l.Operations), 0}, {"discoveryCacheMs", l.DiscoveryCacheMs, 0},
	} {
		if one.value < one.least || one.value > maxLimit {
			return at("/limits/"+one.name, fmt.Errorf("%d is not in %d to %d", one.value, one.least, int64(maxLimit)))
		}
	}
	return nil
}

// maxLimit is far above what anybody means, and small enough for a duration.
const maxLimit = 1 << 40

// Duration turns milliseconds of a document into a duration.
func Duration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
