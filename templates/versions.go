package templates

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/storage"
)

// Version is a saved version of a template.
type Version struct {
	Number    int // from 1, in the order of saving
	SavedTime time.Time
	Author    string // username of the author according to the file; empty if unknown
	Envelope  string // JSON
	Problem   string // why this version is invalid; empty if it is valid
}

// Versions returns the versions of a template, newest first, starting with the current version. There are 1
// to 21 versions. A template that was not saved by SaveTemplate has one version with the time of its file.
func (t *Template) Versions() []*Version {
	now := t.current()
	versions := []*Version{
		{Number: now.Number, SavedTime: now.Saved, Author: now.Author, Envelope: t.Envelope, Problem: t.Problem},
	}
	for _, e := range now.Earlier {
		v := &Version{Number: e.Number, SavedTime: e.Saved, Author: e.Author, Envelope: indented(e.Template)}
		if _, err := parseTemplate(v.Envelope); err != nil {
			v.Problem = fault.Of(err).Message
		}
		versions = append(versions, v)
	}
	return versions
}

// Version returns the number of the current version, from 1.
func (t *Template) Version() int { return t.current().Number }

// current returns the history of a template. Without a history, it returns one with the first version.
func (t *Template) current() history {
	if t.history != nil {
		return *t.history
	}
	return history{Number: 1, Saved: t.ModifiedTime}
}

func indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String() + "\n"
}

// RestoreTemplateVersion saves an earlier version of a template again. It becomes the newest version, and the
// previous one is kept. It returns fault.NotFound if the template or the version does not exist, and
// fault.Invalid if the version is no longer valid.
func (ts *Templates) RestoreTemplateVersion(ctx context.Context, p string, number int) (*Template, error) {
	t, err := ts.Template(ctx, p)
	if err != nil {
		return nil, fault.WithField(err, "path")
	}
	for _, v := range t.Versions() {
		if v.Number != number {
			continue
		}
		parsed, err := parseTemplate(v.Envelope)
		if err != nil {
			return nil, fault.OnField(
				fault.Invalid, "version", "version %d is not usable: %s", number, fault.Of(err).Message,
			)
		}
		t, _, err = ts.saveWithHistory(ctx, storage.Key(t.Path), parsed, true, audit.Facts{"version": number})
		return t, err
	}
	return nil, fault.OnField(fault.NotFound, "version", "%s has no version %d", t.Path, number)
}

// saveWithHistory stores a template with the history of the template that it replaces, and renders its preview.
func (ts *Templates) saveWithHistory(
	ctx context.Context,
	k storage.Key,
	parsed *template.Template,
	overwrite bool,
	facts audit.Facts,
) (t *Template, warnings []string, err error) {
	if err := ts.replace(ctx, k, parsed.JSON(), overwrite); err != nil {
		return nil, nil, err
	}
	ts.audit.RecordDone(ctx, audit.Event{Action: audit.ActionTemplateSave, Target: audit.FileTarget(k), After: facts})
	warnings = parsed.Warnings()
	if err := ts.makePreview(ctx, k, parsed); err != nil {
		warnings = append(warnings, "the preview could not be made: "+fault.Of(err).Message)
		ts.log.InfoContext(ctx, "template without preview", "path", string(k), "error", err)
	}
	t, err = ts.Template(ctx, string(k))
	return t, warnings, err
}

// replace writes an envelope together with the history of the template that it replaces. It reads that
// template while it holds the lock of the path on all servers, so that no version is lost.
func (ts *Templates) replace(ctx context.Context, k storage.Key, envelope []byte, overwrite bool) error {
	room := int64(0)
	if overwrite {
		room = maxHistory // upper bound, because the quota is checked before the history is read
	}
	content := &lazyReader{size: int64(len(envelope)) + room, build: func() ([]byte, error) {
		now, err := ts.nextHistory(ctx, k, envelope, overwrite)
		return joinHistory(envelope, now), err
	}}
	_, err := ts.files.CreateFile(
		ctx, k, content, storage.CreateOptions{ContentType: "application/json", Overwrite: overwrite},
	)
	return fault.WithField(err, "name")
}

// nextHistory returns the history of an envelope that replaces the stored one.
func (ts *Templates) nextHistory(ctx context.Context, k storage.Key, envelope []byte, overwrite bool) (history, error) {
	now := history{Number: 1, Saved: ts.config.Now().UTC().Truncate(time.Second), Author: auth.FromContext(ctx).Name}
	if !overwrite {
		return now, nil
	}
	before, err := ts.Template(ctx, string(k))
	switch {
	case fault.CodeOf(err) == fault.NotFound:
	case err != nil:
		return now, err
	case before.Envelope == string(envelope): // saved without changes
		now = before.current()
	default:
		if compact, ok := compacted(before.Envelope); ok {
			now = before.current().next(compact, now.Saved, now.Author)
		}
	}
	return now, nil
}

// lazyReader is a reader whose content is built on the first read.
type lazyReader struct {
	size  int64 // estimated size for quotas, before the first read
	at    int64 // offset of Seek, before the first read
	build func() ([]byte, error)
	bytes *bytes.Reader
}

// Read implements io.Reader.
func (l *lazyReader) Read(p []byte) (int, error) {
	if l.bytes == nil {
		b, err := l.build()
		if err != nil {
			return 0, err
		}
		l.bytes = bytes.NewReader(b)
	}
	return l.bytes.Read(p)
}

// Seek implements io.Seeker.
func (l *lazyReader) Seek(offset int64, whence int) (int64, error) {
	if l.bytes != nil {
		return l.bytes.Seek(offset, whence)
	}
	switch whence {
	case io.SeekCurrent:
		offset += l.at
	case io.SeekEnd:
		offset += l.size
	}
	l.at = offset
	return offset, nil
}

// compacted removes the white space of an envelope. ok is false if it is not JSON.
func compacted(envelope string) (text []byte, ok bool) {
	var b bytes.Buffer
	if json.Compact(&b, []byte(envelope)) != nil {
		return nil, false
	}
	return b.Bytes(), true
}
