package main

import "context"

// keepTrash purges expired items of the trash until stop is called or ctx ends. stop waits for it, so that the database
// can be closed.
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
