package main

import "context"

// keepUploads removes abandoned uploads until stop is called or ctx ends. stop waits for the end of
// it, before the database is closed.
func (at *site) keepUploads(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		at.Gallery.KeepUploads(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
