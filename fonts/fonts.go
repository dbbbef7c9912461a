// Package fonts holds the fonts that admins upload for texts in pictures (docs/contributing/decisions/0025). It is the
// only writer of their tables. Nothing here parses the glyphs of a font; workers do (imaging/worker).
package fonts

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entfont "github.com/safelight/safelight/ent/font"
	entfile "github.com/safelight/safelight/ent/fontfile"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The limits of the table.
const (
	MaxFonts  = 100
	maxFamily = 32 << 20 // max bytes of a family's fonts, all of which are loaded for a text
	maxUsed   = 64 << 20 // max bytes of a picture's fonts
)

// Config is the configuration of fonts.
type Config struct {
	Now       func() time.Time // nil is time.Now
	Installed func() []string  // families that are available without an upload; nil: none
	Engine    imaging.Engine   // draws with a font before it is accepted; nil: fonts cannot be added
	Limits    imaging.Limits
}

// Fonts are the uploaded fonts of one database. Create it with New. Every method is safe for concurrent use and returns
// fault errors.
type Fonts struct {
	config  Config
	db      *database.DB
	audit   *audit.Log
	current atomic.Pointer[State]
	loading sync.Mutex // held while the list is read from the database
}

// State is an immutable snapshot of the fonts: the same pointer means the same fonts.
type State struct {
	list     []*ent.Font // by family and style
	families []string
}

// New returns the fonts of a migrated database.
func New(ctx context.Context, c Config, db *database.DB, events *audit.Log) (*Fonts, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	f := &Fonts{config: c, db: db, audit: events}
	return f, f.Reload(ctx)
}

// Reload reads the list again: another server on the database may have changed it.
func (f *Fonts) Reload(ctx context.Context) error {
	f.loading.Lock() // keeps an older list from replacing a newer one
	defer f.loading.Unlock()
	rows, err := f.db.Font.Query().All(ctx)
	if err != nil {
		return fmt.Errorf("reading the fonts: %w", database.Translate(err))
	}
	slices.SortFunc(rows, func(a, b *ent.Font) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), cmp.Compare(a.Weight, b.Weight),
			strings.Compare(a.Style, b.Style))
	})
	s := &State{list: rows}
	for _, row := range rows {
		s.families = append(s.families, row.Family)
	}
	s.families = slices.Compact(s.families)
	f.current.Store(s)
	return nil
}

// State returns the current fonts. It does no I/O.
func (f *Fonts) State() *State { return f.current.Load() }

// All returns the fonts by family, weight and style. They are shared and must not be changed. It does no I/O.
func (f *Fonts) All() []*ent.Font { return f.State().list }

// Installed returns the families of the fonts that are installed, sorted. All does not contain them.
func (f *Fonts) Installed() []string {
	if f.config.Installed == nil {
		return []string{}
	}
	return f.config.Installed()
}

func errNoFont(id string) error {
	return fault.OnField(fault.NotFound, "id", "there is no font %s", fault.Quote(id))
}

// Get returns the font with the given id; fault.NotFound if there is none. It does no I/O.
func (f *Fonts) Get(id string) (*ent.Font, error) {
	for _, one := range f.All() {
		if one.ID == id {
			return one, nil
		}
	}
	return nil, errNoFont(id)
}

// File returns the bytes of a font; fault.NotFound if there is none.
func (f *Fonts) File(ctx context.Context, id string) ([]byte, error) {
	row, err := f.db.FontFile.Query().Where(entfile.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, errNoFont(id)
	}
	if err != nil {
		return nil, database.Translate(err)
	}
	return row.Data, nil
}

// Of returns the uploaded fonts that the texts in o name, with all styles of each family. It does no I/O. It returns
// fault.TooLarge if their total size is too large.
func (f *Fonts) Of(o imaging.Operations) (used []imaging.Font, err error) {
	s := f.State()
	if len(s.list) == 0 {
		return nil, nil
	}
	families := map[string]bool{}
	for _, name := range imaging.FontNames(o) {
		families[imaging.FamilyOf(name, s.families)] = true
	}
	size := int64(0)
	for _, one := range s.list {
		if !families[one.Family] {
			continue
		}
		if size += one.SizeBytes; size > maxUsed {
			return nil, fault.New(fault.TooLarge, "the fonts of the picture have more than %d MB together", maxUsed>>20)
		}
		load := func(ctx context.Context) ([]byte, error) { return f.load(ctx, one.ID) }
		used = append(used, imaging.Font{Family: one.Family, Version: one.ID, Load: load})
	}
	return used, nil
}

// load is File for a picture. If the font is gone, another server has changed it: load then reads the list again and
// returns imaging.ErrFontChanged.
func (f *Fonts) load(ctx context.Context, id string) ([]byte, error) {
	data, err := f.File(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, cmp.Or(f.Reload(ctx), imaging.ErrFontChanged)
	}
	return data, err
}

// Add adds a font, effective at once, and replaces the font with the same family and style. A WOFF2 is stored as TTF
// or OTF. Nothing changes if the same file is already stored. It returns the errors of read, fault.UnsupportedType and
// fault.CorruptImage if the font cannot be drawn, and fault.Conflict if the family is installed, exists with different
// capitalization, or MaxFonts is reached.
func (f *Fonts) Add(ctx context.Context, content io.ReadSeeker) (*ent.Font, error) {
	if f.config.Engine == nil {
		return nil, fault.New(fault.Unavailable, "fonts cannot be added, this server has no engine")
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading a font: %w", err)
	}
	sent, err := io.ReadAll(io.LimitReader(content, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading a font: %w", err)
	}
	file, font, err := read(sent)
	if err != nil {
		return nil, err
	}
	if known, err := f.Get(font.ID); err == nil {
		return known, nil
	}
	for _, family := range f.Installed() {
		if strings.EqualFold(family, font.Family) {
			return nil, fault.OnField(fault.Conflict, "content",
				"a font of the family %s is installed on the server, and would be drawn instead", fault.Quote(family))
		}
	}
	if err := f.try(ctx, font, file); err != nil {
		return nil, err
	}
	if err := f.db.Transact(ctx, func(tx *ent.Tx) error { return f.store(ctx, tx, font, file) }); err != nil {
		return nil, err
	}
	if err := f.Reload(ctx); err != nil {
		return nil, err
	}
	return f.Get(font.ID)
}

// try draws a text with the font in a worker.
func (f *Fonts) try(ctx context.Context, font *ent.Font, file []byte) error {
	args := strings.Join([]string{"Rag08", "0", "0", imaging.EncodeText(font.Family + " 24")}, ",")
	load := func(context.Context) ([]byte, error) { return file, nil }
	src := imaging.Source{
		Name: "a sample of the font", Canvas: &imaging.Colour{A: 255},
		Fonts: []imaging.Font{{Family: font.Family, Version: font.ID, Load: load}},
	}
	sample := imaging.Operations{
		Width: 300, Height: 60, Filters: imaging.FiltersOf(imaging.Filter{Name: "text", Args: args}),
	}
	_, err := f.config.Engine.Process(ctx, src, sample, f.config.Limits)
	switch fault.CodeOf(err) {
	case "", fault.Overloaded, fault.Unavailable, fault.Canceled:
		return err
	case fault.UnsupportedType:
		return &fault.Error{Code: fault.UnsupportedType, Field: "content", Err: err,
			Message: "this server cannot draw the font"}
	}
	return damaged(err)
}

func (f *Fonts) store(ctx context.Context, tx *ent.Tx, font *ent.Font, file []byte) error {
	if err := f.db.LockNames(ctx, tx.Client(), "fonts"); err != nil {
		return err
	}
	rows, err := tx.Font.Query().All(ctx)
	if err != nil {
		return err
	}
	event := audit.Event{Action: audit.ActionFontAdd, Target: target(font), After: facts(font)}
	others, size := len(rows), font.SizeBytes
	for _, row := range rows {
		switch {
		case row.ID == font.ID:
			return nil // another request has added it at the same time
		case strings.EqualFold(row.Family, font.Family) && row.Family != font.Family:
			return fault.OnField(fault.Conflict, "content",
				"the family %s differs from the family %s of another font only in upper and lower case",
				fault.Quote(font.Family), fault.Quote(row.Family))
		case row.Family == font.Family && strings.EqualFold(row.Style, font.Style):
			event.Before = facts(row)
			others--
			if err := remove(ctx, tx, row); err != nil {
				return err
			}
		case row.Family == font.Family:
			size += row.SizeBytes
		}
	}
	if others >= MaxFonts {
		return fault.OnField(fault.Conflict, "content", "there are %d fonts, expected at most %d", others, MaxFonts)
	}
	if size > maxFamily {
		return fault.OnField(fault.Conflict, "content",
			"the styles of the family %s would have more than %d MB together",
			fault.Quote(font.Family), maxFamily>>20)
	}
	err = tx.Font.Create().
		SetID(font.ID).
		SetFamily(font.Family).
		SetStyle(font.Style).
		SetWeight(font.Weight).
		SetIsItalic(font.IsItalic).
		SetFormat(font.Format).
		SetSizeBytes(font.SizeBytes).
		SetAddedAt(f.config.Now().UTC()).
		SetAddedBy(auth.FromContext(ctx).Name).
		Exec(ctx)
	if err != nil {
		return err
	}
	if err := tx.FontFile.Create().SetID(font.ID).SetData(file).Exec(ctx); err != nil {
		return err
	}
	return f.audit.Record(ctx, tx, event)
}

func remove(ctx context.Context, tx *ent.Tx, font *ent.Font) error {
	if _, err := tx.FontFile.Delete().Where(entfile.ID(font.ID)).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.Font.Delete().Where(entfont.ID(font.ID)).Exec(ctx)
	return err
}

func target(f *ent.Font) string { return "font:" + f.Family }

func facts(f *ent.Font) audit.Facts {
	return audit.Facts{"id": f.ID, "style": f.Style, "sizeBytes": f.SizeBytes}
}

// Delete deletes a font. Texts that use it get another style of its family, or an installed font. It returns
// fault.NotFound for an unknown id.
func (f *Fonts) Delete(ctx context.Context, id string) error {
	err := f.db.Transact(ctx, func(tx *ent.Tx) error {
		font, err := tx.Font.Query().Where(entfont.ID(id)).Only(ctx)
		if ent.IsNotFound(err) {
			return errNoFont(id)
		}
		if err != nil {
			return err
		}
		if err := remove(ctx, tx, font); err != nil {
			return err
		}
		return f.audit.Record(ctx, tx,
			audit.Event{Action: audit.ActionFontDelete, Target: target(font), Before: facts(font)})
	})
	if err != nil {
		return err
	}
	return f.Reload(ctx)
}
