package storage

import (
	"context"
	"crypto/rand"
	"io"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Probe writes an object with a hidden name, reads it back and deletes it. It returns the store's error, or
// fault.Unavailable if the bytes differ.
func Probe(ctx context.Context, s Store) (err error) {
	text := rand.Text()
	key := Key(".safelight-probe-" + rand.Text())
	if _, err := s.Create(ctx, key, strings.NewReader(text), CreateOptions{ContentType: "text/plain"}); err != nil {
		return err
	}
	defer func() {
		if e := s.Delete(context.WithoutCancel(ctx), key); err == nil {
			err = e
		}
	}()
	o, err := s.Open(ctx, key)
	if err != nil {
		return err
	}
	defer o.Close()
	back, err := io.ReadAll(o)
	if err != nil {
		return err
	}
	if string(back) != text {
		return fault.New(fault.Unavailable, "the storage returned other bytes than were written")
	}
	return nil
}
