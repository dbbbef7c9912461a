package gallery

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/words"
	"github.com/safelight/safelight/storage"
)

const (
	maxTags        = 100
	maxTag         = 100   // characters
	maxDescription = 10000 // characters
)

// UpdateFileInput changes annotations. A nil field stays unchanged.
type UpdateFileInput struct {
	Path        string
	Tags        *[]string // all of them
	Description *string
	FocalPoint  **FocalPoint            // points to nil: remove it
	retag       func([]string) []string // computes new tags from the current ones; nil: no change
}

// UpdateFile changes the annotations of a file, in the index and in its sidecar.
func (g *Gallery) UpdateFile(ctx context.Context, in UpdateFileInput) (*File, error) {
	k, err := ParseWritable(in.Path, "path")
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	f, err := g.File(ctx, string(k))
	if err != nil {
		return nil, err
	}
	var was, n annotations
	err = g.change(ctx, change{what: intent.ChangeDescribe, source: k, action: audit.ActionFileUpdate,
		facts: func() (before, after audit.Facts) { return was.facts(), n.facts() },
		store: func(ctx context.Context) (err error) {
			if was, n, err = g.index.changeAnnotations(ctx, k, f.row.ID, in); err != nil {
				return err
			}
			if err = g.index.writeAnnotations(ctx, k, f.row.ID, n); err != nil {
				// the rows differ from the storage now
				return errors.Join(err, g.index.healAnnotations(context.WithoutCancel(ctx), k))
			}
			return nil
		},
		index: func(context.Context, *ent.Client) error { return nil },
	})
	if err != nil {
		return nil, err
	}
	return g.File(ctx, string(k))
}

// changeAnnotations changes the annotations in the index, based on their current value: another server may have just changed them.
func (x *index) changeAnnotations(ctx context.Context, k storage.Key, id int, in UpdateFileInput) (was, n annotations, err error) {
	err = x.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := x.lockFolders(ctx, db, k.Parent()); err != nil {
			return err
		}
		row, err := db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && row.Path != string(k) {
			return fault.OnField(fault.NotFound, "path", "%s does not exist", k)
		}
		if err != nil {
			return err
		}
		was, n = annotationsOf(row), in.apply(row)
		if len(n.Tags) > maxTags {
			return fault.OnField(fault.Invalid, "tags", "the file would have %d tags, expected at most %d", len(n.Tags), maxTags)
		}
		return x.saveAnnotations(ctx, db, k, n)
	})
	return was, n, err
}

// writeAnnotations writes the sidecar, and repeats that until the index is unchanged: of several servers the last writer leaves the
// changes of all.
func (x *index) writeAnnotations(ctx context.Context, k storage.Key, id int, n annotations) error {
	for {
		if err := x.writeSidecar(ctx, k, n); err != nil {
			return err
		}
		row, err := x.db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) {
			return nil // it was deleted since
		}
		if err != nil {
			return database.Translate(err)
		}
		now := annotationsOf(row)
		if reflect.DeepEqual(now.facts(), n.facts()) {
			return nil
		}
		n = now
	}
}

// check returns fault.Invalid for values out of range, and normalizes texts to NFC.
func (in *UpdateFileInput) check() error {
	if in.Description != nil {
		*in.Description = norm.NFC.String(strings.TrimSpace(*in.Description))
		if n := utf8.RuneCountInString(*in.Description); n > maxDescription || !utf8.ValidString(*in.Description) || strings.ContainsRune(*in.Description, 0) {
			return fault.OnField(fault.Invalid, "description", "the description has %d characters, expected text of at most %d", n, maxDescription)
		}
	}
	if in.FocalPoint != nil && *in.FocalPoint != nil {
		for _, v := range []float64{(*in.FocalPoint).X, (*in.FocalPoint).Y} {
			if math.IsNaN(v) || v < 0 || v > 1 {
				return fault.OnField(fault.Invalid, "focalPoint", "the focal point is at %g, expected 0 to 1", v)
			}
		}
	}
	if in.Tags == nil {
		return nil
	}
	tags, err := checkTags(*in.Tags)
	in.Tags = &tags
	return err
}

// checkTags returns tags without duplicates; fault.Invalid for too many or an invalid tag.
func checkTags(list []string) ([]string, error) {
	tags, seen := []string{}, map[string]bool{}
	for _, t := range list {
		t = norm.NFC.String(strings.TrimSpace(t))
		if n := utf8.RuneCountInString(t); n == 0 || n > maxTag || !utf8.ValidString(t) || strings.ContainsAny(t, "\x00\r\n") {
			return nil, fault.OnField(fault.Invalid, "tags", "a tag has %d characters, expected one line of 1 to %d", n, maxTag)
		}
		if key := words.Fold(t); !seen[key] {
			seen[key] = true
			tags = append(tags, t)
		}
	}
	if len(tags) > maxTags {
		return nil, fault.OnField(fault.Invalid, "tags", "the file has %d tags, expected at most %d", len(tags), maxTags)
	}
	return tags, nil
}

func annotationsOf(row *ent.Entry) annotations {
	return annotations{Tags: row.Tags, Description: row.Description, FocalPoint: focalOf(row)}
}

// facts describe annotations in the audit log.
func (n annotations) facts() audit.Facts {
	f := audit.Facts{"tags": n.Tags, "description": n.Description}
	if n.FocalPoint != nil {
		f["focalPoint"] = *n.FocalPoint
	}
	return f
}

// apply returns the annotations of a file after the change.
func (in UpdateFileInput) apply(row *ent.Entry) annotations {
	n := annotationsOf(row)
	if in.Tags != nil {
		n.Tags = *in.Tags
	}
	if in.retag != nil {
		n.Tags = in.retag(n.Tags)
	}
	if in.Description != nil {
		n.Description = *in.Description
	}
	if in.FocalPoint != nil {
		n.FocalPoint = *in.FocalPoint
	}
	return n
}

// saveAnnotations stores the annotations of a file in its row.
func (x *index) saveAnnotations(ctx context.Context, db *ent.Client, k storage.Key, n annotations) error {
	row, err := db.Entry.Query().Where(entry.Path(string(k))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil // the next listing reads the sidecar
	}
	if err != nil {
		return err
	}
	row.Tags, row.Description = n.Tags, n.Description
	u := db.Entry.UpdateOneID(row.ID).SetTags(n.Tags).SetDescription(n.Description).SetWords(wordsOf(row, row.Name)).
		SetHasNotes(len(n.Tags) > 0 || n.Description != "" || n.FocalPoint != nil)
	if n.FocalPoint != nil {
		u.SetFocalX(n.FocalPoint.X).SetFocalY(n.FocalPoint.Y)
	} else {
		u.ClearFocalX().ClearFocalY()
	}
	if err := u.Exec(ctx); err != nil {
		return err
	}
	return setTags(ctx, db, row.ID, n.Tags)
}

// healAnnotations stores the content of the sidecar in the row of a file.
func (x *index) healAnnotations(ctx context.Context, k storage.Key) error {
	n, err := x.readSidecar(ctx, k)
	if err != nil {
		return err
	}
	if n == nil {
		n = &annotations{}
	}
	return x.db.Transact(ctx, func(tx *ent.Tx) error { return x.saveAnnotations(ctx, tx.Client(), k, *n) })
}
