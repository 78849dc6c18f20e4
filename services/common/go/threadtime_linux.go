package soap

import (
	"syscall"
	"time"
	"unsafe"
)

const clockThreadCPUTime = 3

// threadTime is the processor time that this thread has used. The standard library has no call for it.
func threadTime() time.Duration {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
