package config

import "time"

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

// Duration turns milliseconds of a document into a duration.
func Duration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
