package main

import (
	"context"
	"runtime"

	"github.com/safelight/safelight/gallery"
)

// keepIndex lets the index follow the storage until stop is called or ctx ends. stop waits for the end of it,
// before the database is closed. Pictures that nobody asked for are looked at while it is not busy.
func (at *site) keepIndex(ctx context.Context, busy func() bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		at.Gallery.Run(ctx, gallery.RunConfig{
			ScanInterval: at.Settings.Index.ScanInterval,
			// half of the cores: whoever waits for a picture goes first
			MetadataWorkers: max(1, runtime.GOMAXPROCS(0)/2),
			Busy:            busy,
		})
	}()
	return func() {
		cancel()
		<-done
	}
}
