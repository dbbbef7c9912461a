package uploads

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/pendingpart"
	"github.com/safelight/safelight/ent/pendingupload"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Received bytes are stored in parts of partBytes, so a crash loses at most one part. Very large files have
// larger parts, so that there are at most about maxParts.
const (
	partBytes = 8 << 20
	maxParts  = 1000
)

// FromStart is a value of start that discards all received bytes and starts again.
const FromStart int64 = -1

// staging returns the folder for the parts of an upload. Its name is a hash of the id, because the id
// authorizes sending bytes.
func (u *Uploads) staging(row *ent.PendingUpload) storage.Key {
	sum := sha256.Sum256([]byte(row.ID))
	return storage.MountOf(u.store, storage.Key(row.Path)).
		Name.Join(string(StagingRoot)).
		Join(hex.EncodeToString(sum[:16]))
}

// ReceiveUpload stores bytes of an upload. Anyone who knows its id may call it. start is the offset of the
// bytes, which must equal the number of bytes received so far; otherwise it returns fault.Conflict. Bytes
// received before an error are kept. It returns fault.InvalidRequest if reading r fails, and fault.TooLarge
// for more bytes than announced.
func (u *Uploads) ReceiveUpload(ctx context.Context, id string, start int64, r io.Reader) (*PendingUpload, error) {
	row, err := u.unexpired(ctx, id)
	if err != nil {
		return nil, err
	}
	if row.State == pendingupload.StateDone {
		return u.pending(row), fault.New(fault.Conflict, "the upload is finished")
	}
	if start == FromStart {
		if row, err = u.restart(ctx, row); err != nil {
			return nil, err
		}
	} else if start != row.Received {
		return u.pending(row), wrongStart(start, row.Received)
	}
	check := &arrivalCheck{}
	defer check.close()
	if row.Received == 0 && u.isRemote(storage.Key(row.Path)) {
		r = check.tee(r)
	}
	in := &partReader{r: bufio.NewReaderSize(r, 64<<10)}
	size := max(partBytes, row.Size/maxParts)
	for row.Received < row.Size && in.more() {
		if row, err = u.receivePart(ctx, row, in.next(min(size, row.Size-row.Received))); err != nil {
			return u.pending(row), err
		}
	}
	if in.err == nil && row.Received == row.Size && in.more() {
		return u.pending(row), fault.New(fault.TooLarge, "more bytes arrived than the announced %d", row.Size)
	}
	if in.err != nil {
		if fault.CodeOf(in.err) != fault.Internal {
			return u.pending(row), in.err
		}
		return u.pending(row), fault.Wrap(in.err, fault.InvalidRequest,
			"the body ended early, %d of %d bytes have arrived", row.Received, row.Size)
	}
	if row.Received == row.Size {
		u.checkArrived(ctx, row, check)
	}
	return u.pending(row), nil
}

func wrongStart(start, received int64) error {
	return fault.New(fault.Conflict, "these bytes start at %d, expected %d", start, received)
}

// receivePart stores one part and counts it. It returns the row to continue with, even after an error.
func (u *Uploads) receivePart(ctx context.Context, row *ent.PendingUpload, r io.Reader) (*ent.PendingUpload, error) {
	k := u.staging(row).Join(rand.Text())
	if err := u.db.Admit(ctx); err != nil { // the bytes would use up the space that the reserve frees
		return row, err
	}
	st, err := u.store.Create(storage.WithHints(ctx, storage.Hints{Fresh: k}), k, r, storage.CreateOptions{})
	if err != nil {
		return row, err
	}
	if st.Size == 0 {
		return row, u.store.Delete(ctx, k)
	}
	var next *ent.PendingUpload
	err = u.db.Transact(ctx, func(tx *ent.Tx) error {
		n, err := tx.PendingUpload.Update().
			Where(
				pendingupload.ID(row.ID), pendingupload.Received(row.Received),
				pendingupload.StateEQ(pendingupload.StateOpen),
			).
			AddReceived(st.Size).
			SetExpiresAt(u.expiry()).
			Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "another request is sending bytes of this upload, or has ended it")
		}
		err = tx.PendingPart.Create().
			SetUploadID(row.ID).SetStart(row.Received).SetSize(st.Size).SetName(k.Name()).
			Exec(ctx)
		if err != nil {
			return err
		}
		next, err = tx.PendingUpload.Get(ctx, row.ID)
		return err
	})
	if err != nil {
		return row, errors.Join(err, u.store.Delete(context.WithoutCancel(ctx), k))
	}
	return next, nil
}

// restart deletes all received bytes.
func (u *Uploads) restart(ctx context.Context, row *ent.PendingUpload) (*ent.PendingUpload, error) {
	if row.Received == 0 {
		return row, nil
	}
	parts, err := u.parts(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	err = u.db.Transact(ctx, func(tx *ent.Tx) error {
		n, err := tx.PendingUpload.Update().
			Where(
				pendingupload.ID(row.ID), pendingupload.StateEQ(pendingupload.StateOpen),
				pendingupload.Received(row.Received), u.idle(),
			).
			SetReceived(0).
			Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "the upload is being sent or finished by another request")
		}
		_, err = tx.PendingPart.Delete().Where(pendingpart.UploadID(row.ID)).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := u.store.Delete(ctx, u.staging(row).Join(p.Name)); err != nil && fault.CodeOf(err) != fault.NotFound {
			return nil, err
		}
	}
	return u.unexpired(ctx, row.ID)
}

// parts returns the parts of an upload in order.
func (u *Uploads) parts(ctx context.Context, id string) ([]*ent.PendingPart, error) {
	parts, err := u.db.PendingPart.Query().Where(pendingpart.UploadID(id)).Order(pendingpart.ByStart()).All(ctx)
	return parts, database.Translate(err)
}

// partReader splits a stream into parts. An error of the stream ends a part like EOF, so that the bytes
// before the error are kept.
type partReader struct {
	r    *bufio.Reader
	left int64
	err  error
}

// more reports whether there is another byte.
func (p *partReader) more() bool {
	if p.err != nil {
		return false
	}
	_, err := p.r.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = err
	}
	return err == nil
}

// next returns the reader of the next n bytes.
func (p *partReader) next(n int64) io.Reader {
	p.left = n
	return p
}

// Read implements io.Reader for the current part.
func (p *partReader) Read(b []byte) (int, error) {
	if p.left == 0 || p.err != nil {
		return 0, io.EOF
	}
	n, err := p.r.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err, err = err, io.EOF
	}
	return n, err
}
