package main

import "context"

// keepTrash purges what lay in the trash for long until stop is called or ctx ends. stop waits for the end of
// it, before the database is closed.
func (at *site) keepTrash(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		at.Gallery.KeepTrash(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
