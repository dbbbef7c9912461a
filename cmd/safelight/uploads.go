package main

import (
	"context"
	"fmt"
	"io"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/truncation"
)

// probe returns the function that checks uploads: the engine reads the header and checks it against the source limits, and
// the file must not be truncated.
func probe(engine imaging.Engine, l imaging.Limits) func(context.Context, imaging.Source) error {
	l.MaxResultSide, l.MaxResultPixels = 0, 0 // no result is rendered
	return func(ctx context.Context, src imaging.Source) error {
		head := make([]byte, imaging.SniffLength)
		n, err := io.ReadFull(src.Reader, head)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if err := truncation.Check(imaging.SniffFormat(head[:n]), src.Reader, src.Size); err != nil {
			return err
		}
		if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err = engine.Info(ctx, src, imaging.InfoRequest{}, l)
		return err
	}
}

// keepUploads releases uploads that a crash left busy, and removes abandoned ones until stop is called or ctx ends. stop
// waits for it, so that the database can be closed.
func (at *site) keepUploads(ctx context.Context) (stop func(), err error) {
	if at.Dialect == dialect.SQLite { // the only server on this database
		if err := at.Uploads.ReleaseUploads(ctx); err != nil {
			return nil, fmt.Errorf("releasing uploads: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		at.Uploads.KeepUploads(ctx)
	}()
	return func() {
		cancel()
		<-done
	}, nil
}
