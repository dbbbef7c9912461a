// Package presets holds the presets of image URLs: those that admins save, in the database with all of their versions, and those of a
// file. It is the only writer of the table of presets.
package presets

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
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
	File string           // JSON, as ReadFile reads it: presets that cannot be changed through the API; empty: there are none
	Now  func() time.Time // nil is time.Now
}

// Presets are the presets of one database and one file. Create it with New. Every method is safe for concurrent use and returns
// fault errors.
type Presets struct {
	config  Config
	db      *database.DB
	audit   *audit.Log
	log     *slog.Logger
	set     atomic.Pointer[preset.Set]
	listed  []preset.Version // of the file
	file    *preset.Set      // the same
	loading sync.Mutex       // held while presets are read from the database
}

// New returns the presets of a migrated database and of the file. It returns an error that names the file if it cannot be read, and
// one that names a preset which is in both.
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
			return nil, fmt.Errorf("preset %s is in the presets file and in the database: rename it in the file, or start without the file and delete it (deletePreset)", row.Name)
		}
	}
	return p, p.Reload(ctx)
}

// Set returns the current presets. It does no I/O.
func (p *Presets) Set() *preset.Set { return p.set.Load() }

// Reload reads the presets again that another server on the same database may have changed.
func (p *Presets) Reload(ctx context.Context) error {
	p.loading.Lock() // the last one to read is the last one to store
	defer p.loading.Unlock()
	rows, err := p.rows(ctx)
	if err != nil {
		return fmt.Errorf("reading the presets: %w", err)
	}
	list := slices.Clone(p.listed)
	for _, row := range rows {
		if p.file.Has(row.Name) {
			p.log.ErrorContext(ctx, "a preset is in the presets file of this server and in the database: that of the file applies here", "preset", row.Name)
			continue
		}
		list = append(list, preset.Version{Name: row.Name, Number: row.Version, Rule: ruleOf(row)})
	}
	p.set.Store(preset.NewSet(list))
	return nil
}

// rows returns all versions of all presets of the database, by name, the newest first.
func (p *Presets) rows(ctx context.Context) ([]*ent.Preset, error) {
	return p.db.Preset.Query().Where(entpreset.Deleted(false)).Order(ent.Asc(entpreset.FieldName), ent.Desc(entpreset.FieldVersion)).All(ctx)
}

// ruleOf returns the rule of a row. Parameters that cannot be read are none, so that URLs of the preset are rejected.
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

// Preset is a preset with its versions.
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
	CreatedAt  *time.Time // nil for one of the file
	CreatedBy  *string    // username; nil for one of the file or the operator
}

// Version returns the number of the newest version, which URLs get that name none.
func (p *Preset) Version() int32 { return p.Versions[0].Version }

// Operations returns those of the newest version.
func (p *Preset) Operations() string { return p.Versions[0].Operations }

// Parameters returns those of the newest version.
func (p *Preset) Parameters() []preset.Parameter { return p.Versions[0].Parameters }

// UpdatedAt returns when the newest version was saved; nil for a preset of the file.
func (p *Preset) UpdatedAt() *time.Time { return p.Versions[0].CreatedAt }

// All returns all presets by name.
func (p *Presets) All(ctx context.Context) ([]*Preset, error) {
	rows, err := p.rows(ctx)
	if err != nil {
		return nil, err
	}
	var list []*Preset
	for _, row := range rows {
		if !p.file.Has(row.Name) {
			list = add(list, row.Name, FromDatabase, versionOf(row))
		}
	}
	fromFile := slices.Clone(p.listed)
	slices.SortFunc(fromFile, func(a, b preset.Version) int { return b.Number - a.Number })
	for _, v := range fromFile {
		list = add(list, v.Name, FromFile, &Version{Version: int32(v.Number), Operations: v.Operations, Parameters: parameters(v.Rule)})
	}
	slices.SortFunc(list, func(a, b *Preset) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// add adds a version to the preset of that name, which is new if there is none.
func add(list []*Preset, name string, from Source, v *Version) []*Preset {
	for _, one := range list {
		if one.Name == name {
			one.Versions = append(one.Versions, v)
			return list
		}
	}
	return append(list, &Preset{Name: name, Source: from, Versions: []*Version{v}})
}

func versionOf(row *ent.Preset) *Version {
	r := ruleOf(row)
	v := &Version{Version: int32(row.Version), Operations: r.Operations, Parameters: parameters(r), CreatedAt: &row.CreatedAt}
	if row.CreatedBy != "" {
		v.CreatedBy = &row.CreatedBy
	}
	return v
}

// parameters returns those of a rule, never nil.
func parameters(r preset.Rule) []preset.Parameter {
	return append([]preset.Parameter{}, r.Parameters...)
}

// Get returns the preset of that name; fault.NotFound if it does not exist.
func (p *Presets) Get(ctx context.Context, name string) (*Preset, error) {
	all, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.Name == name {
			return one, nil
		}
	}
	return nil, missing(name)
}

func missing(name string) error {
	return fault.OnField(fault.NotFound, "name", "there is no preset %s", fault.Quote(name))
}
