//go:build !linux

package soap

import "time"

var started = time.Now()

// threadTime is the time since the start, where a thread's own cannot be read.
func threadTime() time.Duration { return time.Since(started) }
