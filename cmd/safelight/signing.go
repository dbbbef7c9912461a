package main

import "context"

// keepSigning follows changes of the processor settings by other servers until stop is called or ctx ends. stop waits for
// it, so that the database can be closed.
func (at *site) keepSigning(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		at.Signing.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
