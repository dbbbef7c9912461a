package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// signed appends the checksum to the content of an entry: it is whole, whatever it says.
func signed(content string) []byte {
	sum := sha256.Sum256([]byte(content))
	return append([]byte(content), sum[:]...)
}

// TestForgedEntries checks that no content makes decode panic or return half an entry, even if its checksum is right.
func TestForgedEntries(t *testing.T) {
	k := KeyOf("a")
	head := func(headLength uint64, rest string) string {
		b := binary.LittleEndian.AppendUint64([]byte(magic), headLength)
		return string(binary.LittleEndian.AppendUint64(b, 0)) + rest
	}
	good := `{"Key":"` + k.String() + `","Format":"png"}`
	if e, err := decode(k, signed(head(uint64(len(good)), good))); err != nil || e.Format != "png" || len(e.Body) != 0 {
		t.Errorf("an entry without a body: %+v, %v", e, err)
	}
	bad := map[string]string{
		"a head longer than all": head(uint64(len(good))+1, good),
		"a head of 2^64-1":       head(1<<64-1, good),
		"no JSON":                head(4, "nope"),
		"null":                   head(4, "null"),
		"no entry":               head(uint64(len(good)-15), good[:len(good)-16]+"}"),
		"another key":            head(uint64(len(good)), strings.Replace(good, k.String(), KeyOf("b").String(), 1)),
		"another magic":          strings.Replace(head(uint64(len(good)), good), "result 1", "result 2", 1),
	}
	for n := range len(magic) + 17 {
		bad["a head of "+string(rune('0'+n/10))+string(rune('0'+n%10))+" bytes"] = head(0, "")[:min(n, len(magic)+16)]
	}
	for what, content := range bad {
		if e, err := decode(k, signed(content)); err == nil && what != "no entry" {
			t.Errorf("%s: %+v", what, e)
		}
		if _, at, err := decodeHeader(slices.Clip([]byte(content))); err == nil && at > len(content) {
			t.Errorf("%s: the body starts at %d of %d", what, at, len(content))
		}
	}
}
