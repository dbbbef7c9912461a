// Package copies copies files from one storage to another, and verifies the copies.
package copies

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"path"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Copy is a copy of a file.
type Copy struct {
	Source storage.Stat // version that was copied
	Made   storage.Stat // the copy; zero if nothing was written
	SHA256 string       // checksum of source and copy, in hexadecimal
}

// File copies a file, reads the copy back and compares the checksums. Errors are those of Open and Create, and
// fault.Unavailable for a copy that cannot be read back or differs. If Made is set after an error, the caller must
// remove that copy.
func File(
	ctx context.Context,
	from storage.Store,
	source storage.Key,
	to storage.Store,
	target storage.Key,
	overwrite bool,
) (c Copy, err error) {
	r, err := from.Open(ctx, source)
	if err != nil {
		return c, err
	}
	defer r.Close()
	c.Source = r.Stat()
	sum := sha256.New()
	made, err := to.Create(
		ctx, target, io.TeeReader(r, sum),
		storage.CreateOptions{ContentType: contentType(target), Overwrite: overwrite},
	)
	if err != nil {
		return c, err
	}
	c.Made, c.SHA256 = made, fmt.Sprintf("%x", sum.Sum(nil))
	size, back, err := read(ctx, to, target)
	if err != nil {
		return c, fault.Wrap(err, fault.Unavailable, "the copy %s cannot be read back", target)
	}
	if size != c.Source.Size || back != c.SHA256 {
		return c, fault.OnField(
			fault.Unavailable, "path",
			"the copy %s differs from %s, try again: it has %d bytes with the SHA-256 %s, expected %d with %s",
			target, source, size, back, c.Source.Size, c.SHA256,
		)
	}
	return c, nil
}

// read returns the size and the checksum of a file.
func read(ctx context.Context, s storage.Store, k storage.Key) (size int64, sum string, err error) {
	r, err := s.Open(ctx, k)
	if err != nil {
		return 0, "", err
	}
	defer r.Close()
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, fmt.Sprintf("%x", h.Sum(nil)), err
}

// contentType returns the media type of a file by its name; empty if it is not known.
func contentType(k storage.Key) string {
	ext := path.Ext(string(k))
	if f, ok := imaging.ParseFormat(ext); ok { // the system's table may lack the media types of images
		return f.ContentType()
	}
	return mime.TypeByExtension(ext)
}
