package gallery

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/embedded"
	"github.com/safelight/safelight/gallery/exif"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
	"github.com/safelight/safelight/storage"
)

const (
	maxTries       = 3
	maxExif        = 64 << 10    // bytes of EXIF that are kept
	analyseTimeout = time.Minute // for one picture
)

// requestMetadata queues files of an answer that are not analysed yet.
func (g *Gallery) requestMetadata(rows []*ent.Entry) {
	for _, r := range rows {
		if r.MetaState != metaPending {
			continue
		}
		select {
		case g.requested <- r.ID:
		default:
			return // the queue is full; feedMetadata finds them later
		}
	}
}

// pending is a picture to analyse while ctx lasts.
type pending struct {
	ctx context.Context // of the lease under which it is analysed
	id  int
}

// metadataWorker analyses pictures until ctx ends: requested ones first, then the newest.
func (g *Gallery) metadataWorker(ctx context.Context, next <-chan pending, busy func() bool) {
	for {
		p := pending{ctx: ctx}
		select {
		case <-ctx.Done():
			return
		case p.id = <-g.requested:
		default:
			select {
			case <-ctx.Done():
				return
			case p.id = <-g.requested:
			case p = <-next:
				waitWhileBusy(ctx, busy)
			}
		}
		if err := g.analyse(p.ctx, p.id); err != nil && p.ctx.Err() == nil {
			g.log.WarnContext(ctx, "a picture's metadata is not known yet", "entry", p.id, "error", err)
		}
	}
}

// How long analysing an unrequested picture waits for a busy server, and how often it checks.
const (
	maxBusyWait = 2 * time.Second
	busyPoll    = 50 * time.Millisecond
)

// waitWhileBusy waits while busy, up to maxBusyWait: a server that is always busy makes progress too.
func waitWhileBusy(ctx context.Context, busy func() bool) {
	for waited := time.Duration(0); busy != nil && waited < maxBusyWait && ctx.Err() == nil && busy(); waited += busyPoll {
		time.Sleep(busyPoll)
	}
}

// feedMetadata sends the ids of pending pictures, newest first, and queries for more when all are taken.
func (g *Gallery) feedMetadata(ctx context.Context, next chan<- pending) {
	for {
		var ids []int
		err := g.db.Entry.Query().Where(entry.MetaState(metaPending), entry.Kind(kindFile)).Order(ent.Desc(entry.FieldModified)).Limit(200).
			Select(entry.FieldID).Scan(ctx, &ids)
		if err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "looking for pictures without metadata", "error", err)
		}
		for _, id := range ids {
			select {
			case <-ctx.Done():
				return
			case next <- pending{ctx, id}:
			}
		}
		pause := 2 * time.Second
		if len(ids) > 0 {
			pause = 50 * time.Millisecond // workers are still busy with the last ones
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// analyse extracts the metadata of a picture; it returns at once while another worker does. A panic costs one try: what it reads
// comes from strangers.
func (g *Gallery) analyse(ctx context.Context, id int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if _, busy := g.analysing.LoadOrStore(id, true); busy {
		return nil
	}
	defer g.analysing.Delete(id)
	row, err := g.db.Entry.Get(ctx, id)
	if ent.IsNotFound(err) || err == nil && row.MetaState != metaPending {
		return nil
	}
	if err != nil {
		return err
	}
	if g.engine == nil {
		return fault.New(fault.Unavailable, "metadata is unavailable, this server has no engine")
	}
	// counted first: a picture that kills the process is not tried forever
	if err := g.db.Entry.UpdateOne(row).AddMetaTries(1).Exec(ctx); err != nil {
		return err
	}
	if row.MetaTries >= maxTries {
		return g.markMetadata(ctx, row, metaFailed)
	}
	info, err := g.inspect(ctx, row)
	switch fault.CodeOf(err) {
	case "":
		return g.saveMetadata(ctx, row, info)
	case fault.NotFound:
		return g.index.removeMissing(ctx, storage.Key(row.Path), nil)
	case fault.Unavailable, fault.Canceled, fault.Overloaded:
		return err // a temporary failure; maxTries bounds it
	case fault.CorruptImage:
		return g.markMetadata(ctx, row, metaBroken)
	}
	return g.markMetadata(ctx, row, metaFailed)
}

// inspect reads a picture.
func (g *Gallery) inspect(ctx context.Context, row *ent.Entry) (*imaging.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, analyseTimeout)
	defer cancel()
	o, err := g.store.Open(ctx, storage.Key(row.Path))
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Stat().ETag != row.Etag {
		return nil, fault.New(fault.Unavailable, "%s was changed", row.Path) // its row will follow
	}
	limits := g.config.Limits
	if limits.MaxSourceBytes > 0 && o.Stat().Size > limits.MaxSourceBytes {
		return nil, fault.New(fault.TooLarge, "the file has %d bytes, expected at most %d", o.Stat().Size, limits.MaxSourceBytes)
	}
	head, err := imaging.ReadHead(o)
	if err != nil {
		return nil, err
	}
	format, src := imaging.SniffFormat(head), imaging.Source{Name: row.Path, Size: o.Stat().Size, Reader: o}
	if format == imaging.JPEG {
		return embedded.Inspect(ctx, g.engine, src, limits)
	}
	info, err := g.engine.Info(ctx, src, imaging.InfoRequest{Operations: imaging.Operations{Filters: embedded.Look + ":" + embedded.Sum}}, limits)
	if fault.CodeOf(err) == fault.UnsupportedType && format == "" {
		err = fault.Wrap(err, fault.CorruptImage, "%s holds no picture", row.Path)
	}
	return info, err
}

func (g *Gallery) markMetadata(ctx context.Context, row *ent.Entry, state int8) error {
	_, err := g.db.Entry.Update().Where(entry.ID(row.ID), entry.Etag(row.Etag)).SetMetaState(state).Save(ctx)
	g.publish(storage.Key(row.Path))
	return err
}

// saveMetadata stores metadata, unless the file changed since. Tags and description may have changed while it was read: what a
// search matches is computed from those of now.
func (g *Gallery) saveMetadata(ctx context.Context, row *ent.Entry, info *imaging.Info) error {
	err := g.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := g.index.lockFolders(ctx, tx.Client(), storage.Key(row.Path).Parent()); err != nil {
			return err
		}
		now, err := tx.Entry.Get(ctx, row.ID)
		if ent.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		u := tx.Entry.Update().Where(entry.ID(row.ID), entry.Etag(row.Etag))
		setMetadata(u, now, info)
		return u.Exec(ctx)
	})
	g.publish(storage.Key(row.Path))
	return err
}

func setMetadata(u *ent.EntryUpdate, row *ent.Entry, info *imaging.Info) {
	width, height := info.Width, info.Height
	u.SetMetaState(metaKnown).SetWidth(width).SetHeight(height).
		SetPixels(int64(width) * int64(height)).SetPages(info.Pages).SetOrientation(int8(info.Orientation)).SetType(string(info.Format)).
		SetBlurhash(info.BlurHash).SetThumbhash(info.ThumbHash)
	row.Camera = exif.Camera(info.Exif)
	u.SetCamera(row.Camera).SetHasGps(info.Exif["GPSLatitude"] != nil && info.Exif["GPSLongitude"] != nil).SetWords(wordsOf(row, row.Name))
	if t, ok := exif.Taken(info.Exif); ok {
		u.SetTaken(t.UnixNano()).SetTakenKey(t.UnixNano())
	}
	if c := info.DominantColor; c != nil {
		lab := oklab.Of(imaging.RGB{R: c.R, G: c.G, B: c.B})
		u.SetDominant(int(c.R)<<16 | int(c.G)<<8 | int(c.B)).SetOkL(lab[0]).SetOkA(lab[1]).SetOkB(lab[2])
	}
	if h, err := strconv.ParseUint(info.PHash, 16, 64); err == nil {
		u.SetPhash(int64(h))
	}
	if sum, err := hex.DecodeString(info.SHA256); err == nil && len(sum) > 0 {
		u.SetSha256(sum)
	}
	if b, err := json.Marshal(exif.WithoutNUL(info.Exif)); err == nil && len(info.Exif) > 0 && len(b) <= maxExif {
		u.SetExif(string(b))
	}
}
