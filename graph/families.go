package graph

import (
	"context"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing"
)

// The defaults for what a family allows.
var (
	familyWidths    = []int32{320, 640, 960, 1280, 1600, 1920, 2560}
	familyDensities = []float64{1, 1.5, 2, 3}
	familyFormats   = []imaging.Format{imaging.AVIF, imaging.WebP, imaging.JPEG}
)

// SrcFamily resolves File.srcFamily.
func (r files) SrcFamily(
	ctx context.Context,
	f *gallery.File,
	operations *string,
	vary []model.SrcVary,
	widths []int32,
	densities []float64,
	formats []imaging.Format,
	expiresIn *int32,
	expiresAt *time.Time,
	key *string,
	version model.URLVersion,
) (*signing.Family, error) {
	o, err := preset.ParseOperations(strings.Trim(value(operations), "/"))
	if err == nil {
		err = checkViewing(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	p := family.Policy{Key: value(key)}
	if p.Until, err = expiry(expiresIn); err != nil {
		return nil, err
	}
	if expiresAt != nil {
		if expiresIn != nil {
			return nil, fault.OnField(
				fault.Invalid, "expiresAt", "expiresIn and expiresAt are both given, expected one of them",
			)
		}
		p.Until = *expiresAt
	}
	for _, v := range vary {
		switch v {
		case model.SrcVaryWidth:
			if widths == nil {
				if widths, err = usefulWidths(f, o, familyWidths); err != nil {
					return nil, err
				}
			}
			p.Widths = ints(widths)
		case model.SrcVaryDpr:
			p.Densities = orDefault(densities, familyDensities)
		case model.SrcVaryFormat:
			p.Formats = orDefault(formats, familyFormats)
		case model.SrcVaryQuality:
			p.Qualities = []family.Quality{family.Low, family.Medium, family.High}
		}
	}
	if version == model.URLVersionLatest {
		o = gallery.Following(o)
	}
	made, err := r.rules.Signing.SignFamily(ctx, f.Path(), f.Viewed(o, time.Time{}), p)
	if err != nil || version == model.URLVersionLatest {
		return made, err
	}
	// The version is in the last part of every URL, so that clients need not know about it.
	made.Path = gallery.Versioned(made.Path, f.Etag())
	return made, nil
}

func orDefault[T any](list, otherwise []T) []T {
	if list == nil {
		return otherwise
	}
	return list
}

func ints(list []int32) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}

// FamilyKeys resolves familyKeys.
func (q query) FamilyKeys(ctx context.Context, first *int32, after *string) (*model.FamilyKeyConnection, error) {
	last, err := keyCursors.parse(after)
	if err != nil {
		return nil, err
	}
	size := sizeOf(first, defaultPage)
	if err := database.CheckPage(size); err != nil {
		return nil, err
	}
	rows, err := q.rules.Signing.FamilyKeys(ctx)
	if err != nil {
		return nil, err
	}
	list, start := make([]*model.FamilyKey, len(rows)), 0
	for i, row := range rows {
		list[i] = model.NewFamilyKey(row)
		if row.ID == last { // keys may be revoked, but are never deleted
			start = i + 1
		}
	}
	p := database.PageOf(list, func(k *model.FamilyKey) string { return k.Name }, start, size)
	return connection(p, keyCursors, nil)
}

// CreateFamilyKey resolves createFamilyKey.
func (m mutation) CreateFamilyKey(
	ctx context.Context,
	input model.CreateFamilyKeyInput,
) (*model.CreateFamilyKeyPayload, error) {
	k, secret, err := m.rules.Signing.CreateFamilyKey(ctx, input.Name)
	p := &model.CreateFamilyKeyPayload{
		FamilyKey: model.NewFamilyKey(k),
		Secret:    optional(secret),
	}
	return p, refuse(&p.UserErrors, err)
}

// RevokeFamilyKey resolves revokeFamilyKey.
func (m mutation) RevokeFamilyKey(
	ctx context.Context,
	input model.RevokeFamilyKeyInput,
) (*model.RevokeFamilyKeyPayload, error) {
	k, err := m.rules.Signing.RevokeFamilyKey(ctx, input.Name)
	p := &model.RevokeFamilyKeyPayload{FamilyKey: model.NewFamilyKey(k)}
	return p, refuse(&p.UserErrors, err)
}
