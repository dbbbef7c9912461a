package main

import (
	"context"
	"runtime"

	"github.com/safelight/safelight/gallery"
)

// keepIndex keeps the index in sync with the storage until stop is called or ctx ends. stop waits for it, so that the
// database can be closed. Unrequested pictures are analysed while busy is false.
func (at *site) keepIndex(ctx context.Context, busy func() bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	// half of the cores: requests have priority
	c := gallery.RunConfig{ScanInterval: at.Settings.Index.ScanInterval, MetadataWorkers: max(1, runtime.GOMAXPROCS(0)/2), Busy: busy}
	if at.fleet != nil {
		c.Notices = at.fleet.bus
	}
	go func() {
		defer close(done)
		at.Gallery.Run(ctx, c)
	}()
	return func() {
		cancel()
		<-done
	}
}
