package auth

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
)

// TestHashesWait checks how many hashes may wait, and which errors those get that wait in vain.
func TestHashesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPasswords(2, 64)
		ctx, leave := context.WithCancel(t.Context())
		errs := make(chan error, 2*(maxWaiting+1))
		for range cap(errs) {
			go func() { errs <- p.acquire(ctx) }()
		}
		synctest.Wait()
		if len(errs) != 2 {
			t.Errorf("%d hashes run at once, expected 2", len(errs))
		}
		f := fault.Of(p.acquire(t.Context()))
		if f == nil || f.Code != fault.Overloaded || f.RetryAfter != time.Second {
			t.Errorf("one more than may wait: %v", f)
		}
		leave()
		synctest.Wait()
		canceled := 0
		for range cap(errs) {
			if fault.CodeOf(<-errs) == fault.Canceled {
				canceled++
			}
		}
		if canceled != 2*maxWaiting || p.waiting.Load() != 2 {
			t.Errorf("%d of %d were canceled, %d are counted", canceled, 2*maxWaiting, p.waiting.Load())
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.acquire(late); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("a deadline in the queue: %v", err)
		}
		p.release()
		p.release()
		if p.waiting.Load() != 0 || len(p.slots) != 0 {
			t.Errorf("%d are counted after all have ended", p.waiting.Load())
		}
		if err := p.acquire(ctx); fault.CodeOf(err) != fault.Canceled || p.waiting.Load() != 0 {
			t.Errorf("a client that has left takes a free slot: %v", err)
		}
	})
}

func TestDamagedHashes(t *testing.T) {
	p := NewPasswords(1, 64)
	good := p.encode(make([]byte, saltLength), make([]byte, hashLength))
	for what, hash := range map[string]string{
		"no passes":        strings.Replace(good, "t=1", "t=0", 1),
		"no threads":       strings.Replace(good, "p=1", "p=0", 1),
		"a short sum":      p.encode(make([]byte, saltLength), make([]byte, hashLength-1)),
		"a long sum":       p.encode(make([]byte, saltLength), make([]byte, hashLength+1)),
		"no base64 salt":   strings.Replace(good, "$AAAA", "$****", 1),
		"no base64 sum":    good[:len(good)-4] + "****",
		"another function": strings.Replace(good, "argon2id", "argon2i", 1),
	} {
		if ok, err := p.Verify(t.Context(), hash, "x"); ok || err == nil {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
	if ok, err := p.Verify(t.Context(), good, ""); ok || err != nil {
		t.Errorf("a hash that matches nothing: %v, %v", ok, err)
	}
}

func TestLongestPassword(t *testing.T) {
	p := NewPasswords(1, 64)
	for length, want := range map[int]bool{maxPassword: true, maxPassword + 1: false} {
		password := strings.Repeat("x", length)
		hash, err := p.Hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Verify(t.Context(), hash, password); err != nil || got != want {
			t.Errorf("%d bytes: %v, %v", length, got, err)
		}
	}
}

// TestGeneratedPasswords checks that generated passwords are accepted even if random letters happen to
// contain the name.
func TestGeneratedPasswords(t *testing.T) {
	letters := "abcdefghijklmnopqrstuvwxyz"
	for n := range 5_000 {
		name := string([]byte{letters[n%26], letters[n/26%26], letters[n/676%26]})
		password := GeneratePassword(name)
		if err := CheckPassword(password, name); err != nil || len(password) != 24 {
			t.Fatalf("%q for %s: %v", password, name, err)
		}
	}
}
