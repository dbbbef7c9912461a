package gallery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/truncation"
	"github.com/safelight/safelight/storage"
)

const (
	maxTries       = 3
	analyzeTimeout = time.Minute // per picture
	sampleSide     = 256         // pixels; JPEGs are decoded to this longer side for the analysis
	thumbnailSide  = 480         // pixels; the height of the thumbnails that the application requests most
)

// look is the filter that computes what an analysis stores about the pixels.
var look = imaging.Filters(fmt.Sprintf(
	"blurhash(4,3):thumbhash():dominant():palette(%d):phash():sha256()", colors.PaletteSize,
))

// requestMetadata queues the files of a response that are not analyzed yet.
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

// metadataWorker analyzes pictures until ctx ends: requested ones first, then the newest.
func (g *Gallery) metadataWorker(ctx context.Context, next <-chan pending) {
	for {
		var p pending
		select {
		case <-ctx.Done():
			return
		case id := <-g.requested:
			p = pending{ctx, []int{id}}
		default:
			select {
			case <-ctx.Done():
				return
			case id := <-g.requested:
				p = pending{ctx, []int{id}}
			case p = <-next:
			}
		}
		if err := g.analyze(p.ctx, p.ids...); err != nil && p.ctx.Err() == nil {
			g.log.WarnContext(ctx, "analyzing pictures failed, they are tried again", "error", err)
		}
	}
}

// unreadable records that a picture cannot be analyzed. It returns the error if that is temporary.
func (g *Gallery) unreadable(ctx context.Context, row *ent.Entry, err error) error {
	switch fault.CodeOf(err) {
	case fault.NotFound:
		return g.index.removeMissing(ctx, storage.Key(row.Path), nil)
	case fault.Overloaded:
		// The picture was not read, so the attempt does not count.
		return errors.Join(err, g.db.Entry.UpdateOne(row).AddMetaTries(-1).Exec(ctx))
	case fault.Unavailable, fault.Canceled:
		return err // a temporary failure; maxTries bounds it
	case fault.CorruptImage:
		return g.markMetadata(ctx, row, metaBroken)
	}
	return g.markMetadata(ctx, row, metaFailed)
}

// inspect reads a picture, and reports whether its file is truncated.
func (g *Gallery) inspect(ctx context.Context, row *ent.Entry) (info *imaging.Info, truncated bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, analyzeTimeout)
	defer cancel()
	limits := g.config.Limits
	if limits.MaxSourceBytes > 0 && row.Size > limits.MaxSourceBytes {
		return nil, false, fault.New(
			fault.TooLarge, "the file has %d bytes, expected at most %d", row.Size, limits.MaxSourceBytes,
		)
	}
	// Returns fault.Unavailable if the file has changed. The next sync updates its row.
	o, err := storage.OpenNear(ctx, g.store, statOf(row))
	if err != nil {
		return nil, false, err
	}
	defer o.Close()
	head, err := imaging.ReadHead(o)
	if err != nil {
		return nil, false, err
	}
	format, src := imaging.SniffFormat(head), imaging.Source{Name: row.Path, Size: row.Size, Reader: o}
	request := imaging.InfoRequest{Operations: imaging.Operations{Filters: look}}
	if format == imaging.JPEG { // the decoder can shrink JPEGs while it decodes
		request.Sample = true
		request.Operations.Fit = imaging.Fit{In: true}
		request.Operations.Width, request.Operations.Height = sampleSide, sampleSide
	}
	info, err = g.engine.Info(ctx, src, request, limits)
	if fault.CodeOf(err) == fault.UnsupportedType && format == "" {
		err = fault.Wrap(err, fault.CorruptImage, "%s does not contain a picture", row.Path)
	}
	if err == nil && format == imaging.SVG {
		err = g.tryThumbnail(ctx, src, limits)
	}
	if err != nil {
		return nil, false, err
	}
	ends, err := truncation.Ends(info.Format, o, row.Size)
	if err != nil { // the metadata is stored anyway
		g.log.WarnContext(ctx, "checking whether a picture is truncated", "path", row.Path, "error", err)
		return info, false, nil
	}
	return info, !ends, nil
}

// tryThumbnail returns fault.Timeout for a drawing whose thumbnail takes too long to render, although its
// small original size does not. Without this check, every page that shows the file would try to render the
// thumbnail again.
func (g *Gallery) tryThumbnail(ctx context.Context, src imaging.Source, limits imaging.Limits) error {
	ops := imaging.Operations{Height: thumbnailSide, Filters: "thumbhash()"}
	_, err := g.engine.Info(ctx, src, imaging.InfoRequest{Operations: ops}, limits)
	if fault.CodeOf(err) == fault.Timeout {
		return err
	}
	return nil
}

func (g *Gallery) markMetadata(ctx context.Context, row *ent.Entry, state int8) error {
	_, err := g.db.Entry.Update().Where(entry.ID(row.ID), entry.Etag(row.Etag)).SetMetaState(state).Save(ctx)
	g.publish(storage.Key(row.Path))
	return err
}
