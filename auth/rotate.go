package auth

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/safelight/safelight/fault"
)

// Rotate creates a new signing key, which every process with this key file uses from now on. The previous key is
// accepted for a token lifetime. It returns fault.Conflict if the configuration has a secret, and an error if the file
// cannot be written.
func (k *Keyring) Rotate() error {
	if k.config.Secret != "" {
		return fault.New(fault.Conflict, "tokens are signed with the setting token-secret: rotate the secret there")
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	// another process may have rotated the keys, whose new key must not be lost
	f, err := readKeyFile(k.config.File)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = k.keys.Load(), nil
	}
	if err != nil {
		return err
	}
	f = f.rotated(k.config.Now(), k.config.Lifetime)
	if err := f.write(k.config.File); err != nil {
		return err
	}
	k.keys.Store(f)
	return nil
}

// refresh reloads the key file if another process has changed it. If the file is missing or damaged, the keys in memory
// remain valid.
func (k *Keyring) refresh() {
	info, err := os.Stat(k.config.File)
	if err != nil || k.keys.Load().isOf(info) {
		return
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	if k.keys.Load().isOf(info) {
		return
	}
	f, err := readKeyFile(k.config.File)
	if err == nil && !bytes.Equal(f.Seal, k.keys.Load().Seal) {
		err = errors.New("the new file has another key for the secrets in the database: restart the server to use it")
	}
	if err != nil {
		k.config.Log.Warn("the key file was changed but cannot be used, so the previous keys remain valid", "file",
			k.config.File, "error", err)
		kept := *k.keys.Load()
		kept.info = info // log once
		f = &kept
	}
	k.keys.Store(f)
}

// isOf reports whether the keys are those of the current file.
func (f *keyFile) isOf(info os.FileInfo) bool {
	return f.info != nil && os.SameFile(f.info, info) && f.info.Size() == info.Size() &&
		f.info.ModTime().Equal(info.ModTime())
}
