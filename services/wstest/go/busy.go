package main

import (
	"fmt"
	"runtime"
	"strconv"
	"time"
)

// stayBusy spins for so many microseconds of processor time, where the header Steelyard-Busy-Us asks for it.
func stayBusy(micros string) error {
	if micros == "" {
		return nil
	}
	n, err := strconv.ParseUint(micros, 10, 31)
	if err != nil {
		return fmt.Errorf("Steelyard-Busy-Us: %q is no number of microseconds", micros)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := threadTime() + time.Duration(n)*time.Microsecond; threadTime() < end; {
	}
	return nil
}
