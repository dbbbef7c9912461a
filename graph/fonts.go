package graph

import (
	"context"
	"slices"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// InstalledFonts answers installedFonts.
func (q query) InstalledFonts(context.Context) ([]string, error) {
	return q.rules.Fonts.Installed(), nil
}

// Fonts answers fonts.
func (q query) Fonts(_ context.Context, first *int32, after *string) (*model.FontConnection, error) {
	last, err := fontCursors.parse(after)
	if err != nil {
		return nil, err
	}
	size := sizeOf(first, database.MaxPage)
	if err := database.CheckPage(size); err != nil {
		return nil, err
	}
	all, start := q.rules.Fonts.All(), 0
	if last != "" {
		at := slices.IndexFunc(all, func(f *ent.Font) bool { return f.ID == last })
		if at < 0 {
			return nil, fontCursors.foreign()
		}
		start = at + 1
	}
	return connection(database.PageOf(all, start, size), func(f *ent.Font) string { return fontCursors.of(f.ID) }, nil)
}

// AddFont answers addFont.
func (m mutation) AddFont(ctx context.Context, in model.AddFontInput) (*model.AddFontPayload, error) {
	added, err := m.rules.Fonts.Add(ctx, in.Content.File)
	p := &model.AddFontPayload{Font: added}
	return p, refuse(&p.UserErrors, err)
}

// DeleteFont answers deleteFont.
func (m mutation) DeleteFont(ctx context.Context, in model.DeleteFontInput) (*model.DeleteFontPayload, error) {
	err := m.rules.Fonts.Delete(ctx, in.ID)
	p := &model.DeleteFontPayload{DeletedID: changed(in.ID, err)}
	return p, refuse(&p.UserErrors, err)
}
