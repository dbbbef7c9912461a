//go:build !linux

package storage

// handle has no use here: os.Root does it all.
type handle struct{}

func openHandle(string) handle { return handle{} }

func (handle) close() {}

func (handle) stat(Key) (Stat, bool) { return Stat{}, false }

func (handle) checkWrite() error { return nil }

func (handle) isUnchanged(Key, string, int64) bool { return false }
