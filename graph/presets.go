package graph

import (
	"context"
	"sort"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/presets"
)

// Presets resolves presets.
func (q query) Presets(_ context.Context, first *int32, after *string) (*model.PresetConnection, error) {
	name, err := presetCursors.parse(after)
	if err != nil {
		return nil, err
	}
	size := sizeOf(first, defaultPage)
	if err := database.CheckPage(size); err != nil {
		return nil, err
	}
	all := q.rules.Presets.All()
	start := sort.Search(len(all), func(i int) bool { return all[i].Name > name })
	p := database.PageOf(all, func(p *presets.Preset) string { return p.Name }, start, size)
	return connection(p, presetCursors, nil)
}

// Preset resolves preset.
func (q query) Preset(_ context.Context, name string) (*presets.Preset, error) {
	return q.rules.Presets.Get(name)
}

// SavePreset resolves savePreset.
func (m mutation) SavePreset(ctx context.Context, input model.SavePresetInput) (*model.SavePresetPayload, error) {
	in := presets.SaveInput{Name: input.Name, Rule: preset.Rule{Operations: input.Operations}}
	for _, p := range input.Parameters.Value() {
		in.Parameters = append(in.Parameters, preset.Parameter{
			Name:    p.Name,
			Default: p.Default,
			Values:  p.Values.Value(),
			Min:     p.Min.Value(),
			Max:     p.Max.Value(),
		})
	}
	if n := input.BasedOn.Value(); n != nil {
		version := int(*n)
		in.BasedOn = &version
	}
	saved, err := m.rules.Presets.Save(ctx, in)
	p := &model.SavePresetPayload{Preset: saved}
	return p, refuse(&p.UserErrors, err)
}

// DeletePreset resolves deletePreset.
func (m mutation) DeletePreset(ctx context.Context, input model.DeletePresetInput) (*model.DeletePresetPayload, error) {
	err := m.rules.Presets.Delete(ctx, input.Name)
	p := &model.DeletePresetPayload{DeletedName: changed(input.Name, err)}
	return p, refuse(&p.UserErrors, err)
}

// PresetURL resolves File.presetUrl.
func (r files) PresetURL(
	ctx context.Context,
	f *gallery.File,
	name string,
	arguments []string,
	expiresIn *int32,
) (*string, error) {
	expires, err := expiry(expiresIn)
	if err != nil {
		return nil, err
	}
	signed, err := r.rules.Signing.GeneratePresetURL(ctx, f.Path(), preset.Format(name, arguments), expires)
	if err != nil {
		return nil, err
	}
	signed = gallery.Versioned(signed, f.Etag())
	return &signed, nil
}
