package imaging

import "testing"

// FuzzSniffFormat checks that a file's first bytes decide alone: what follows SniffLength of them changes nothing, and
// a format that it finds has a media type.
func FuzzSniffFormat(f *testing.F) {
	for _, head := range []string{"", "\xff\xd8\xff\xe0", "\x89PNG\r\n\x1a\n", "GIF89a", "RIFF\x00\x00\x00\x00WEBPVP8 ",
		"II*\x00", "MM\x00+", "\xff\x0a",
		"\x00\x00\x00\x0cJXL \r\n\x87\n", "\x00\x00\x00\x0cjP  \r\n\x87\n", "\xff\x4f\xff\x51", "%PDF-1.7", "BM",
		"<svg xmlns", "\xef\xbb\xbf <?xml version=\"1.0\"?><!-- a --><!DOCTYPE svg><svg",
		"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1", "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00heic",
		"\xff\xff\xff\xffftyp", "<!--<svg", "<html><svg"} {
		f.Add([]byte(head), []byte("tail"))
	}
	f.Fuzz(func(t *testing.T, head, tail []byte) {
		format := SniffFormat(head)
		if format != "" && format.ContentType() == "" {
			t.Fatalf("%q is recognized as %q, which has no media type", head, format)
		}
		if len(head) > SniffLength {
			if cut := SniffFormat(head[:SniffLength]); cut != format {
				t.Fatalf("%q, then %q by the first %d bytes", format, cut, SniffLength)
			}
		}
		if parsed, ok := ParseFormat(string(format)); format != "" && (!ok || parsed != format) {
			t.Fatalf("%q is read back as %q", format, parsed)
		}
		if parsed := SniffFormat(append(head, tail...)); len(head) >= SniffLength && parsed != format {
			t.Fatalf("%q, with more behind it %q", format, parsed)
		}
	})
}
