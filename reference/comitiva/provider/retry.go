package provider

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Retry says how a refused request is tried again.
type Retry struct {
	Attempts int           // further attempts after the first
	Backoff  time.Duration // before the first further attempt; doubles each time
}

// maxAskedWait bounds the wait that a provider may ask for: with more, the
// request is tried again after the usual back-off instead.
const maxAskedWait = 10 * time.Second

// retryableStatus: 408, 409, 429 and the 5xx are worth another attempt.
func retryableStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// askedWait reads Retry-After-Ms and Retry-After in seconds; 0: not asked.
func askedWait(h http.Header) time.Duration {
	unit := time.Millisecond
	text := h.Get("Retry-After-Ms")
	if text == "" {
		unit, text = time.Second, h.Get("Retry-After")
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0) || n*float64(unit) > float64(maxAskedWait) {
		return 0
	}
	return time.Duration(n * float64(unit))
}

func (r Retry) wait(ctx context.Context, attempt int, asked time.Duration) error {
	pause := r.Backoff << min(attempt, 16)
	if asked > 0 {
		pause = asked
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
