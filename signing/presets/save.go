package presets

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entpreset "github.com/safelight/safelight/ent/preset"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/preset"
)

// The limits of the table. Every server holds all presets in memory.
const (
	MaxPresets    = 200
	MaxVersions   = 200     // of a preset
	maxNames      = 2000    // including deleted presets
	MaxRows       = 4000    // versions of all presets
	maxParameters = 4 << 10 // bytes, as JSON
)

// SaveInput is a preset to create or to change.
type SaveInput struct {
	Name string
	preset.Rule
	BasedOn *int // the newest version that the caller knows; 0: the preset must be new; nil: no check
}

// Save adds a version to a preset, or creates the preset. The change is effective at once. If the newest version is
// the same, nothing changes. It returns fault.Invalid for a rule that preset.Rule.Check rejects, and fault.Conflict
// for a preset of the file, if the newest version is not BasedOn, and if MaxPresets, MaxVersions or MaxRows is
// reached.
func (p *Presets) Save(ctx context.Context, in SaveInput) (*Preset, error) {
	if err := preset.CheckName(in.Name); err != nil {
		return nil, err
	}
	if err := p.checkSource(in.Name); err != nil {
		return nil, err
	}
	if err := in.Rule.Check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(parameters(in.Rule))
	if err != nil {
		return nil, err
	}
	if n := len(text); n > maxParameters {
		return nil, fault.OnField(
			fault.Invalid, "parameters", "the parameters have %d bytes as JSON, expected at most %d", n,
			maxParameters,
		)
	}
	err = p.db.Transact(ctx, func(tx *ent.Tx) error { return p.save(ctx, tx, in, string(text)) })
	if ent.IsConstraintError(err) {
		err = fault.OnField(fault.Conflict, "name", "preset %s has been changed at the same time, try again", in.Name)
	}
	if err != nil {
		return nil, err
	}
	if err := p.Reload(ctx); err != nil {
		return nil, err
	}
	return p.Get(in.Name)
}

// checkSource returns fault.Conflict for a preset of the file.
func (p *Presets) checkSource(name string) error {
	if p.file.Has(name) {
		return fault.OnField(fault.Conflict, "name", "preset %s is in the presets file, change it there", name)
	}
	return nil
}

func (p *Presets) save(ctx context.Context, tx *ent.Tx, in SaveInput, parameters string) error {
	last, err := newest(ctx, tx, in.Name)
	if err != nil {
		return err
	}
	number, exists := 0, last != nil && !last.Deleted
	if last != nil {
		number = last.Version
	}
	if err := checkBase(in, last, exists); err != nil {
		return err
	}
	if exists && sameRule(ruleOf(last), in.Rule) {
		return nil
	}
	if err := checkRoom(ctx, tx, in.Name, last, exists); err != nil {
		return err
	}
	if last != nil && last.Deleted {
		if err := tx.Preset.DeleteOne(last).Exec(ctx); err != nil {
			return err
		}
	}
	row, err := tx.Preset.Create().
		SetName(in.Name).
		SetVersion(number + 1).
		SetOperations(in.Operations).
		SetParameters(parameters).
		SetCreatedAt(p.config.Now().UTC()).
		SetCreatedBy(auth.FromContext(ctx).Name).
		Save(ctx)
	if err != nil {
		return err
	}
	e := audit.Event{Action: audit.ActionPresetSave, Target: target(in.Name), After: facts(row)}
	if exists {
		e.Before = facts(last)
	}
	return p.audit.Record(ctx, tx, e)
}

// newest returns the newest row of a name; nil if the name has never been used.
func newest(ctx context.Context, tx *ent.Tx, name string) (*ent.Preset, error) {
	row, err := tx.Preset.Query().
		Where(entpreset.Name(name), database.LockRows).
		Order(ent.Desc(entpreset.FieldVersion)).
		First(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	return row, err
}

func checkBase(in SaveInput, last *ent.Preset, exists bool) error {
	switch {
	case in.BasedOn == nil:
		return nil
	case *in.BasedOn == 0 && exists:
		return fault.OnField(fault.Conflict, "name", "there is a preset %s, expected a new name", in.Name)
	case *in.BasedOn != 0 && !exists:
		return missing(in.Name)
	case *in.BasedOn != 0 && *in.BasedOn != last.Version:
		return fault.OnField(
			fault.Conflict, "basedOn", "the newest version of preset %s is %d, the change is based on %d",
			in.Name, last.Version, *in.BasedOn,
		)
	}
	return nil
}

// checkRoom returns fault.Conflict if another version would exceed a limit.
func checkRoom(ctx context.Context, tx *ent.Tx, name string, last *ent.Preset, exists bool) error {
	rows, err := tx.Preset.Query().Where(entpreset.Deleted(false)).Count(ctx)
	if err == nil && rows >= MaxRows {
		err = fault.OnField(
			fault.Conflict, "name",
			"all presets together have %d versions, expected at most %d: delete presets that no URL calls",
			rows, MaxRows,
		)
	}
	if err != nil {
		return err
	}
	if exists {
		n, err := tx.Preset.Query().Where(entpreset.Name(name)).Count(ctx)
		if err == nil && n >= MaxVersions {
			err = fault.OnField(
				fault.Conflict, "name",
				"preset %s has %d versions, expected at most %d: save it by another name, or delete it", name,
				n, MaxVersions,
			)
		}
		return err
	}
	names, err := tx.Preset.Query().Where(entpreset.Deleted(false)).GroupBy(entpreset.FieldName).Strings(ctx)
	if err != nil {
		return err
	}
	if len(names) >= MaxPresets {
		return fault.OnField(
			fault.Conflict, "name", "there are %d presets, expected at most %d", len(names), MaxPresets,
		)
	}
	deleted, err := tx.Preset.Query().Where(entpreset.Deleted(true)).Count(ctx)
	if err == nil && last == nil && len(names)+deleted >= maxNames {
		err = fault.OnField(
			fault.Conflict, "name",
			"there have been %d presets, deleted ones included, expected at most %d: use the name of a deleted one",
			len(names)+deleted, maxNames,
		)
	}
	return err
}

// sameRule reports whether two rules are equal; a missing list equals an empty one.
func sameRule(a, b preset.Rule) bool {
	return a.Operations == b.Operations && reflect.DeepEqual(parameters(a), parameters(b))
}

func target(name string) string { return "preset:" + name }

func facts(row *ent.Preset) audit.Facts {
	return audit.Facts{"version": row.Version, "operations": row.Operations, "parameters": row.Parameters}
}

// Delete deletes a preset with all of its versions. Its URLs then return NotFound. A new preset with that name
// continues the version numbers. It returns fault.NotFound for an unknown preset, and fault.Conflict for a preset of
// the file.
func (p *Presets) Delete(ctx context.Context, name string) error {
	if err := p.checkSource(name); err != nil {
		return err
	}
	err := p.db.Transact(ctx, func(tx *ent.Tx) error {
		last, err := newest(ctx, tx, name)
		if err != nil {
			return err
		}
		if last == nil || last.Deleted {
			return missing(name)
		}
		if _, err := tx.Preset.Delete().Where(entpreset.Name(name), entpreset.VersionLT(last.Version)).
			Exec(ctx); err != nil {
			return err
		}
		if err := tx.Preset.UpdateOne(last).SetDeleted(true).Exec(ctx); err != nil {
			return err
		}
		return p.audit.Record(
			ctx, tx, audit.Event{Action: audit.ActionPresetDelete, Target: target(name), Before: facts(last)},
		)
	})
	if err != nil {
		return err
	}
	return p.Reload(ctx)
}
