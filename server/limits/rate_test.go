package limits

import (
	"net/netip"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

func TestBucketFillsAgain(t *testing.T) {
	l := NewRate(60)
	now := time.Unix(1e9, 0)
	l.now = func() time.Time { return now }
	a := netip.MustParseAddr("192.0.2.1")
	for i := range 60 {
		if err := l.Allow(a); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	err := l.Allow(a)
	if f := fault.Of(err); f == nil || f.Code != fault.RateLimited || f.RetryAfter != time.Second {
		t.Fatalf("the 61st: %v", err)
	}
	now = now.Add(time.Second)
	if err := l.Allow(a); err != nil {
		t.Errorf("a second later: %v", err)
	}
	if l.Allow(a) == nil {
		t.Error("one second gives two requests")
	}
}

// TestBucketsAreBounded sends from more addresses than are remembered.
func TestBucketsAreBounded(t *testing.T) {
	l := NewRate(60)
	now := time.Unix(1e9, 0)
	l.now = func() time.Time { return now }
	for i := range 3 * maxAddresses {
		a := netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)})
		if err := l.Allow(a); err != nil {
			t.Fatal(err)
		}
		if len(l.filled) > maxAddresses {
			t.Fatalf("%d addresses are remembered", len(l.filled))
		}
	}
	now = now.Add(time.Hour)
	l.evict(now)
	if len(l.filled) != 0 {
		t.Errorf("%d full buckets are remembered", len(l.filled))
	}
}
