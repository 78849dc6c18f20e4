package soap

import (
	"testing"
	"time"
)

func TestBusyHeaderBurnsProcessorTime(t *testing.T) {
	began := time.Now()
	if err := stayBusy("20000.5"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 20*time.Millisecond+500*time.Nanosecond {
		t.Errorf("20 ms of processor time took %v", took)
	}
	for _, wrong := range []string{"a while", "-1", "NaN", "1e300", "1000000.5"} {
		if stayBusy(wrong) == nil {
			t.Errorf("%q was taken for a number of microseconds", wrong)
		}
	}
}
