package soap

import (
	"fmt"
	"runtime"
	"strconv"
	"time"
)

// BusyHeader asks for processor time.
const BusyHeader = "Steelyard-Busy-Us"

// mostBusyMicros is a second: a header costs its sender nothing, so it must not cost the server much more.
const mostBusyMicros = 1e6

// stayBusy spins for so many microseconds of processor time, where BusyHeader asks for it.
func stayBusy(micros string) error {
	if micros == "" {
		return nil
	}
	n, err := strconv.ParseFloat(micros, 64)
	if err != nil || !(n >= 0 && n <= mostBusyMicros) {
		return fmt.Errorf(BusyHeader+": %q is no number of microseconds up to a million", micros)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := threadTime() + time.Duration(n*float64(time.Microsecond)); threadTime() < end; {
	}
	return nil
}
