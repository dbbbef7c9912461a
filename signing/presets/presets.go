// Package presets holds the presets of image URLs: those that admins save, which are in the database with all of their
// versions, and those in a file. It is the only writer of the table of presets.
package presets

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entpreset "github.com/safelight/safelight/ent/preset"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/preset"
)

// Config is the configuration of presets.
type Config struct {
	File string           // a file for ReadFile, whose presets the API cannot change; empty: no file
	Now  func() time.Time // nil is time.Now
}

// Presets are the presets of one database and one file. Create it with New. Every method is safe for concurrent use and
// returns fault errors.
type Presets struct {
	config  Config
	db      *database.DB
	audit   *audit.Log
	log     *slog.Logger
	current atomic.Pointer[state]
	listed  []preset.Version // of the file
	file    *preset.Set      // the same
	loading sync.Mutex       // held while presets are read from the database
}

// state is an immutable snapshot of the presets.
type state struct {
	set  *preset.Set
	list []*Preset // by name
}

// New returns the presets of a migrated database and of the file. The error names the file if it cannot be read, or a
// preset that is in both the file and the database.
func New(ctx context.Context, c Config, db *database.DB, events *audit.Log, log *slog.Logger) (*Presets, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Presets{config: c, db: db, audit: events, log: log}
	if c.File != "" {
		var err error
		if p.listed, err = ReadFile(c.File); err != nil {
			return nil, err
		}
	}
	p.file = preset.NewSet(p.listed)
	rows, err := p.rows(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the presets: %w", err)
	}
	for _, row := range rows {
		if p.file.Has(row.Name) {
			return nil, fmt.Errorf(
				"preset %s is in the presets file and in the database: rename it in the file, or start without the "+
					"file and delete it (deletePreset)",
				row.Name,
			)
		}
	}
	p.load(ctx, rows)
	return p, nil
}

// Set returns the current presets. It does no I/O.
func (p *Presets) Set() *preset.Set { return p.current.Load().set }

// Reload reads the presets again: another server on the database may have changed them.
func (p *Presets) Reload(ctx context.Context) error {
	p.loading.Lock() // keeps older presets from replacing newer ones
	defer p.loading.Unlock()
	rows, err := p.rows(ctx)
	if err != nil {
		return fmt.Errorf("reading the presets: %w", err)
	}
	p.load(ctx, rows)
	return nil
}

// load makes the rows and the presets of the file the current ones.
func (p *Presets) load(ctx context.Context, rows []*ent.Preset) {
	versions := slices.Clone(p.listed)
	list := fromFile(p.listed)
	for _, row := range rows {
		if p.file.Has(row.Name) {
			p.log.ErrorContext(
				ctx,
				"a preset is in the presets file of this server and in the database: this server uses that of the file",
				"preset", row.Name,
			)
			continue
		}
		rule := ruleOf(row)
		versions = append(versions, preset.Version{Name: row.Name, Number: row.Version, Rule: rule})
		list = add(list, row.Name, FromDatabase, versionOf(row, rule))
	}
	slices.SortFunc(list, func(a, b *Preset) int { return strings.Compare(a.Name, b.Name) })
	p.current.Store(&state{preset.NewSet(versions), list})
}

// fromFile returns the presets of a file.
func fromFile(versions []preset.Version) (list []*Preset) {
	versions = slices.Clone(versions)
	sort.Slice(versions, func(i, j int) bool {
		a, b := versions[i], versions[j]
		return a.Name < b.Name || a.Name == b.Name && a.Number > b.Number
	})
	for _, v := range versions {
		list = add(
			list, v.Name, FromFile,
			&Version{Version: int32(v.Number), Operations: v.Operations, Parameters: parameters(v.Rule)},
		)
	}
	return list
}

// rows returns all versions of all presets in the database, by name and from the newest.
func (p *Presets) rows(ctx context.Context) ([]*ent.Preset, error) {
	return p.db.Preset.Query().
		Where(entpreset.Deleted(false)).
		Order(ent.Asc(entpreset.FieldName), ent.Desc(entpreset.FieldVersion)).
		All(ctx)
}

// ruleOf returns the rule of a row. Unreadable parameters are dropped, so calls of the preset are rejected.
func ruleOf(row *ent.Preset) preset.Rule {
	r := preset.Rule{Operations: row.Operations}
	_ = json.Unmarshal([]byte(row.Parameters), &r.Parameters)
	return r
}

// Source is where a preset comes from.
type Source string

// The sources.
const (
	FromDatabase Source = "DATABASE"
	FromFile     Source = "FILE"
)

// Preset is a preset with all of its versions.
type Preset struct {
	Name     string
	Source   Source
	Versions []*Version // the newest first; at least one
}

// Version is a version of a preset.
type Version struct {
	Version    int32
	Operations string
	Parameters []preset.Parameter
	CreatedAt  *time.Time // nil for a preset of the file
	CreatedBy  *string    // username; nil if the file or the operator has set it
}

// Version returns the number of the newest version, which applies to URLs without a version.
func (p *Preset) Version() int32 { return p.Versions[0].Version }

// Operations returns the operations of the newest version.
func (p *Preset) Operations() string { return p.Versions[0].Operations }

// Parameters returns the parameters of the newest version.
func (p *Preset) Parameters() []preset.Parameter { return p.Versions[0].Parameters }

// UpdatedAt returns when the newest version was saved; nil for a preset of the file.
func (p *Preset) UpdatedAt() *time.Time { return p.Versions[0].CreatedAt }

// All returns all presets by name. They are shared and must not be changed. It does no I/O.
func (p *Presets) All() []*Preset { return p.current.Load().list }

// add appends a version to the last preset of the list if that has the given name, or else to a new preset.
func add(list []*Preset, name string, from Source, v *Version) []*Preset {
	if n := len(list); n > 0 && list[n-1].Name == name {
		list[n-1].Versions = append(list[n-1].Versions, v)
		return list
	}
	return append(list, &Preset{Name: name, Source: from, Versions: []*Version{v}})
}

func versionOf(row *ent.Preset, r preset.Rule) *Version {
	v := &Version{
		Version:    int32(row.Version),
		Operations: r.Operations,
		Parameters: parameters(r),
		CreatedAt:  &row.CreatedAt,
	}
	if row.CreatedBy != "" {
		v.CreatedBy = &row.CreatedBy
	}
	return v
}

// parameters returns the parameters of a rule, never nil.
func parameters(r preset.Rule) []preset.Parameter {
	return append([]preset.Parameter{}, r.Parameters...)
}

// Get returns the preset with the given name; fault.NotFound if it does not exist. It does no I/O.
func (p *Presets) Get(name string) (*Preset, error) {
	all := p.All()
	n, ok := slices.BinarySearchFunc(
		all, name, func(one *Preset, name string) int { return strings.Compare(one.Name, name) },
	)
	if !ok {
		return nil, missing(name)
	}
	return all[n], nil
}

func missing(name string) error {
	return fault.OnField(fault.NotFound, "name", "there is no preset %s", fault.Quote(name))
}
