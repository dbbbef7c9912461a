package graph

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// SavedSearches resolves savedSearches.
func (q query) SavedSearches(ctx context.Context, first *int32, after *string) (*model.SavedSearchConnection, error) {
	name, err := searchCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Accounts.SavedSearches(ctx, sizeOf(first, defaultPage), name)
	return connection(p, searchCursors, err)
}

// CreateSavedSearch resolves createSavedSearch.
func (m mutation) CreateSavedSearch(
	ctx context.Context,
	in model.CreateSavedSearchInput,
) (*model.SavedSearchPayload, error) {
	// Run the search once, so that only valid searches are saved.
	one := int32(1)
	_, err := query(
		m,
	).Files(ctx, &in.Folder, &in.Recursive, in.Filter.Value(), &in.Search, &in.Sort, &in.Order, &one, nil, nil)
	var saved *ent.SavedSearch
	if err == nil {
		saved, err = m.rules.Accounts.SaveSearch(
			ctx,
			accounts.SaveSearchInput{Name: in.Name, Folder: in.Folder, Recursive: in.Recursive, Search: in.Search,
				Filter: rawFilter(ctx), Sort: string(in.Sort), Descending: in.Order == model.SortOrderDesc},
		)
	}
	return savedSearchPayload(saved, err)
}

func savedSearchPayload(saved *ent.SavedSearch, err error) (*model.SavedSearchPayload, error) {
	refused, failed := userErrors(err)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		saved = nil
	}
	return &model.SavedSearchPayload{SavedSearch: saved, UserErrors: refused}, nil
}

// rawFilter returns input.filter as the client sent it. It was validated before.
func rawFilter(ctx context.Context) map[string]any {
	field := graphql.GetFieldContext(ctx).Field
	input, _ := field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["input"].(map[string]any)
	filter, _ := input["filter"].(map[string]any)
	return filter
}

// RenameSavedSearch resolves renameSavedSearch.
func (m mutation) RenameSavedSearch(
	ctx context.Context,
	in model.RenameSavedSearchInput,
) (*model.SavedSearchPayload, error) {
	var saved *ent.SavedSearch
	id, err := parseID(in.ID, "id")
	if err == nil {
		saved, err = m.rules.Accounts.RenameSearch(ctx, id, in.Name)
	}
	return savedSearchPayload(saved, err)
}

// DeleteSavedSearch resolves deleteSavedSearch.
func (m mutation) DeleteSavedSearch(
	ctx context.Context,
	in model.DeleteSavedSearchInput,
) (*model.DeleteSavedSearchPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Accounts.DeleteSearch)
	p := &model.DeleteSavedSearchPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

type savedSearches struct{}

// Filter resolves SavedSearch.filter.
func (savedSearches) Filter(_ context.Context, s *ent.SavedSearch) (map[string]any, error) {
	return filterObject(s.Filter)
}

// filterObject parses a stored filter. It returns nil for an empty text.
func filterObject(text string) (filter map[string]any, err error) {
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return filter, d.Decode(&filter)
}

// Sort resolves SavedSearch.sort.
func (savedSearches) Sort(_ context.Context, s *ent.SavedSearch) (gallery.Sort, error) {
	return gallery.Sort(s.Sort), nil
}

// Order resolves SavedSearch.order.
func (savedSearches) Order(_ context.Context, s *ent.SavedSearch) (model.SortOrder, error) {
	if s.Descending {
		return model.SortOrderDesc, nil
	}
	return model.SortOrderAsc, nil
}
