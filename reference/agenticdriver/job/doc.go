// Package job keeps runs that outlive their callers. A job and every event of
// it are in the database before anybody is told of them. A job is run at most
// once: one that had begun when its worker was lost is interrupted, never run
// again.
package job
