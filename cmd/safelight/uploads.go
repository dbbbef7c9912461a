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
		head, err := imaging.ReadHead(src.Reader)
		if err != nil {
			return err
		}
		if err := truncation.Check(imaging.SniffFormat(head), src.Reader, src.Size); err != nil {
			return err
		}
		if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err = engine.Info(ctx, src, imaging.InfoRequest{}, l)
		return err
	}
}

// releaseUploads releases uploads that a crash left busy, if this is the only server on the database.
func (at *site) releaseUploads(ctx context.Context) error {
	if at.Dialect != dialect.SQLite {
		return nil
	}
	if err := at.Files().Uploads.ReleaseUploads(ctx); err != nil {
		return fmt.Errorf("releasing uploads: %w", err)
	}
	return nil
}
