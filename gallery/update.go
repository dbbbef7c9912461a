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
	"github.com/safelight/safelight/storage"
)

const (
	maxTags        = 100
	maxTag         = 100   // characters
	maxDescription = 10000 // characters
)

// UpdateFileInput changes what people say of a file. A nil field stays as it is.
type UpdateFileInput struct {
	Path        string
	Tags        *[]string // all of them
	Description *string
	FocalPoint  **FocalPoint            // points to nil: there is none any more
	retag       func([]string) []string // makes new tags of those that the file has; nil: nothing
}

// UpdateFile changes what people say of a file: in the storage beside the file, then in the index.
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
	var was, n notes
	err = g.change(ctx, change{what: intent.ChangeDescribe, source: k, action: audit.ActionFileUpdate,
		facts: func() (before, after audit.Facts) { return was.facts(), n.facts() },
		store: func(ctx context.Context) (err error) {
			if was, n, err = g.changeNotes(ctx, k, f.row.ID, in); err != nil {
				return err
			}
			if err = g.followNotes(ctx, k, f.row.ID, n); err != nil {
				// the rows say what the storage does not
				return errors.Join(err, g.healNotes(context.WithoutCancel(ctx), k))
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

// changeNotes changes the notes of a file in the index: from what they are there at the moment, for another server
// may have changed them just now.
func (g *Gallery) changeNotes(ctx context.Context, k storage.Key, id int, in UpdateFileInput) (was, n notes, err error) {
	err = g.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := g.lockFolders(ctx, db, k.Parent()); err != nil {
			return err
		}
		row, err := db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) || err == nil && row.Path != string(k) {
			return fault.OnField(fault.NotFound, "path", "%s does not exist", k)
		}
		if err != nil {
			return err
		}
		was, n = notesOf(row), in.apply(row)
		if len(n.Tags) > maxTags {
			return fault.OnField(fault.Invalid, "tags", "the file would have %d tags, expected at most %d", len(n.Tags), maxTags)
		}
		return g.saveNotes(ctx, db, k, n)
	})
	return was, n, err
}

// followNotes writes notes beside the file, and again those that the index has by then, until they are the same:
// of servers that change one file, the last one to write leaves what all of them said.
func (g *Gallery) followNotes(ctx context.Context, k storage.Key, id int, n notes) error {
	for {
		if err := g.writeSidecar(ctx, k, n); err != nil {
			return err
		}
		row, err := g.db.Entry.Get(ctx, id)
		if ent.IsNotFound(err) {
			return nil // it was removed meanwhile
		}
		if err != nil {
			return database.Translate(err)
		}
		now := notesOf(row)
		if reflect.DeepEqual(now.facts(), n.facts()) {
			return nil
		}
		n = now
	}
}

// check refuses what is too much, and makes texts NFC.
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

// checkTags returns tags without doubles; fault.Invalid for too many, and for one that is none.
func checkTags(list []string) ([]string, error) {
	tags, seen := []string{}, map[string]bool{}
	for _, t := range list {
		t = norm.NFC.String(strings.TrimSpace(t))
		if n := utf8.RuneCountInString(t); n == 0 || n > maxTag || !utf8.ValidString(t) || strings.ContainsAny(t, "\x00\r\n") {
			return nil, fault.OnField(fault.Invalid, "tags", "a tag has %d characters, expected one line of 1 to %d", n, maxTag)
		}
		if key := fold(t); !seen[key] {
			seen[key] = true
			tags = append(tags, t)
		}
	}
	if len(tags) > maxTags {
		return nil, fault.OnField(fault.Invalid, "tags", "the file has %d tags, expected at most %d", len(tags), maxTags)
	}
	return tags, nil
}

func notesOf(row *ent.Entry) notes {
	return notes{Tags: row.Tags, Description: row.Description, FocalPoint: focalOf(row)}
}

// facts are the notes for the audit log.
func (n notes) facts() audit.Facts {
	f := audit.Facts{"tags": n.Tags, "description": n.Description}
	if n.FocalPoint != nil {
		f["focalPoint"] = *n.FocalPoint
	}
	return f
}

// apply returns the notes of a file after the change.
func (in UpdateFileInput) apply(row *ent.Entry) notes {
	n := notesOf(row)
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

// saveNotes lets the row of a file say what its sidecar says.
func (g *Gallery) saveNotes(ctx context.Context, db *ent.Client, k storage.Key, n notes) error {
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

// healNotes reads the sidecar of a file again.
func (g *Gallery) healNotes(ctx context.Context, k storage.Key) error {
	n, err := g.readSidecar(ctx, k)
	if err != nil {
		return err
	}
	if n == nil {
		n = &notes{}
	}
	return g.db.Transact(ctx, func(tx *ent.Tx) error { return g.saveNotes(ctx, tx.Client(), k, *n) })
}
