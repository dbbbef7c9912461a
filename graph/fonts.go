package graph

import (
	"context"
	"fmt"
	"sort"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// InstalledFonts resolves installedFonts.
func (q query) InstalledFonts(context.Context) ([]string, error) {
	return q.rules.Fonts.Installed(), nil
}

// Fonts resolves fonts.
func (q query) Fonts(_ context.Context, first *int32, after *string) (*model.FontConnection, error) {
	last, err := fontCursors.parse(after)
	if err != nil {
		return nil, err
	}
	size := sizeOf(first, database.MaxPage)
	if err := database.CheckPage(size); err != nil {
		return nil, err
	}
	all := q.rules.Fonts.All()
	start := sort.Search(len(all), func(i int) bool { return fontKey(all[i]) > last })
	return connection(database.PageOf(all, fontKey, start, size), fontCursors, nil)
}

// fontKey returns the sort key of a font. It does not depend on whether the font still exists.
func fontKey(f *ent.Font) string { return fmt.Sprintf("%s\n%04d\n%s", f.Family, f.Weight, f.Style) }

// AddFont resolves addFont.
func (m mutation) AddFont(ctx context.Context, in model.AddFontInput) (*model.AddFontPayload, error) {
	added, err := m.rules.Fonts.Add(ctx, in.Content.File)
	p := &model.AddFontPayload{Font: added}
	return p, refuse(&p.UserErrors, err)
}

// DeleteFont resolves deleteFont.
func (m mutation) DeleteFont(ctx context.Context, in model.DeleteFontInput) (*model.DeleteFontPayload, error) {
	err := m.rules.Fonts.Delete(ctx, in.ID)
	p := &model.DeleteFontPayload{DeletedID: changed(in.ID, err)}
	return p, refuse(&p.UserErrors, err)
}
