package analysis

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestGiveWay(t *testing.T) {
	for name, c := range map[string]struct {
		busy  func(began time.Time) func() bool
		least time.Duration
		most  time.Duration
	}{
		"nobody says": {func(time.Time) func() bool { return nil }, 0, 0},
		"idle":        {func(time.Time) func() bool { return func() bool { return false } }, 0, 0},
		"busy for a while": {func(began time.Time) func() bool {
			return func() bool { return time.Since(began) < 300*time.Millisecond }
		}, 300 * time.Millisecond, 400 * time.Millisecond},
		"never idle": {func(time.Time) func() bool { return func() bool { return true } }, maxBusyWait, maxBusyWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			WaitWhileBusy(t.Context(), c.busy(began))
			if took := time.Since(began); took < c.least || took > c.most {
				t.Errorf("%s: gave way for %s, want %s to %s", name, took, c.least, c.most)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	WaitWhileBusy(ctx, func() bool { t.Error("asked after the end"); return true })
}
