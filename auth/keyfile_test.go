package auth

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// opened opens a keyring with a key file and a clock that the test controls.
func opened(t *testing.T, file string, now *time.Time, log *bytes.Buffer) *Keyring {
	t.Helper()
	k, err := OpenKeyring(KeyringConfig{File: file, Lifetime: time.Hour, Now: func() time.Time { return *now },
		Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyFileOfOthers(t *testing.T) {
	file, now := filepath.Join(t.TempDir(), "keys.json"), time.Now()
	for _, c := range []struct {
		mode   os.FileMode
		warned bool
	}{{0o600, false}, {0o400, false}, {0o640, true}, {0o604, true}, {0o610, true}} {
		var log bytes.Buffer
		opened(t, file, &now, &log)
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		opened(t, file, &now, &log)
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm()&0o077 != 0 || strings.Contains(log.String(),
			"others could read") != c.warned {
			t.Errorf("%#o: mode %#o, %q", c.mode, info.Mode().Perm(), log.String())
		}
	}
}

func TestSoundKeyFile(t *testing.T) {
	key := tokenKey{ID: "a", Key: make([]byte, 32)}
	for name, c := range map[string]struct {
		f     keyFile
		sound bool
	}{
		"sound":          {keyFile{Tokens: []tokenKey{key}, Seal: key.Key}, true},
		"a longer key":   {keyFile{Tokens: []tokenKey{{ID: "a", Key: make([]byte, 64)}}, Seal: key.Key}, true},
		"a shorter key":  {keyFile{Tokens: []tokenKey{key, {ID: "b", Key: make([]byte, 31)}}, Seal: key.Key}, false},
		"no id":          {keyFile{Tokens: []tokenKey{{Key: key.Key}}, Seal: key.Key}, false},
		"no keys":        {keyFile{Seal: key.Key}, false},
		"a short seal":   {keyFile{Tokens: []tokenKey{key}, Seal: make([]byte, 31)}, false},
		"a long seal":    {keyFile{Tokens: []tokenKey{key}, Seal: make([]byte, 33)}, false},
		"nothing at all": {keyFile{}, false},
	} {
		if c.f.isValid() != c.sound {
			t.Errorf("%s: sound is not %v", name, c.sound)
		}
	}
}

// TestRotatedKeys checks that a key stays in the file exactly as long as its tokens may be valid.
func TestRotatedKeys(t *testing.T) {
	file, now := filepath.Join(t.TempDir(), "keys.json"), time.Now().UTC()
	k := opened(t, file, &now, new(bytes.Buffer))
	for n, c := range []struct {
		later time.Duration
		keys  int
	}{{0, 2}, {0, 3}, {time.Hour, 4}, {time.Nanosecond, 3}, {2 * time.Hour, 2}} {
		now = now.Add(c.later)
		if err := k.Rotate(); err != nil {
			t.Fatal(err)
		}
		if got := len(k.keys.Load().Tokens); got != c.keys {
			t.Errorf("rotation %d, %s later: %d keys, expected %d", n+1, c.later, got, c.keys)
		}
	}
}

// TestRefresh changes the key file from another process in all ways.
func TestRefresh(t *testing.T) {
	file, now := filepath.Join(t.TempDir(), "keys.json"), time.Now().UTC()
	var log bytes.Buffer
	k := opened(t, file, &now, &log)
	other := opened(t, file, &now, new(bytes.Buffer))
	if err := other.Rotate(); err != nil {
		t.Fatal(err)
	}
	if k.refresh(); k.keys.Load().Tokens[0].ID != other.keys.Load().Tokens[0].ID || log.Len() != 0 {
		t.Errorf("the rotation of another process is not seen: %s", log.String())
	}
	signing := k.keys.Load().Tokens[0].ID
	foreign := opened(t, filepath.Join(t.TempDir(), "keys.json"), &now, new(bytes.Buffer))
	whole, err := json.Marshal(foreign.keys.Load())
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{"damaged": []byte("{"), "another seal": whole} {
		log.Reset()
		if err := os.WriteFile(file+".new", data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		k.refresh()
		k.refresh()
		if n := strings.Count(log.String(), "cannot be used"); n != 1 || k.keys.Load().Tokens[0].ID != signing {
			t.Errorf("%s: logged %d times, signs with %s, expected %s", what, n, k.keys.Load().Tokens[0].ID, signing)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if k.refresh(); k.keys.Load().Tokens[0].ID != signing {
		t.Error("without the file the keys change")
	}
	if err := k.Rotate(); err != nil || k.keys.Load().Tokens[0].ID == signing {
		t.Errorf("a rotation without the file: %v", err)
	}
}

func TestCipherOfADamagedSeal(t *testing.T) {
	k := &Keyring{}
	k.keys.Store(&keyFile{Seal: make([]byte, 5)})
	if text, err := k.Seal("x"); err == nil {
		t.Errorf("sealed as %q", text)
	}
	if text, err := k.Unseal(sealed + "AAAA"); err == nil {
		t.Errorf("unsealed as %q", text)
	}
}
