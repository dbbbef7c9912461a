package accounts

import (
	"context"
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/savedsearch"
	"github.com/safelight/safelight/fault"
)

// The limits of saved searches.
const (
	maxSearches     = 200    // of one account
	maxSearchName   = 100    // characters
	maxSearchText   = 1000   // bytes
	maxSearchFilter = 10_000 // bytes
)

// SaveSearchInput is a search to save. Folder, Search, Filter, Sort and Descending have the format of the API
// for files.
type SaveSearchInput struct {
	Name       string
	Folder     string
	Recursive  bool
	Search     string
	Filter     map[string]any // nil: no filter
	Sort       string
	Descending bool
}

// SavedSearches returns a page of 1 to 100 of the caller's saved searches, sorted by name, after a cursor. Guests
// have none.
func (a *Accounts) SavedSearches(
	ctx context.Context, first int, after string,
) (*database.Page[*ent.SavedSearch], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	rows, err := a.db.SavedSearch.Query().Where(savedsearch.UserID(auth.FromContext(ctx).UserID)).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	key := func(s *ent.SavedSearch) string { return s.NameKey }
	slices.SortFunc(rows, func(a, b *ent.SavedSearch) int { return strings.Compare(key(a), key(b)) })
	start := sort.Search(len(rows), func(i int) bool { return key(rows[i]) > after })
	return database.PageOf(rows, key, start, first), nil
}

// SavedSearch returns one of the caller's saved searches. Otherwise it returns fault.NotFound.
func (a *Accounts) SavedSearch(ctx context.Context, id uuid.UUID) (*ent.SavedSearch, error) {
	s, err := a.db.SavedSearch.Query().
		Where(savedsearch.ID(id), savedsearch.UserID(auth.FromContext(ctx).UserID)).
		Only(ctx)
	if err != nil {
		return nil, database.Missing(err, "the saved search", "id")
	}
	return s, nil
}

// SaveSearch saves a search. It returns fault.Invalid for a value out of range or too many searches,
// fault.Conflict for a name that is taken, fault.Forbidden for guests, and fault.NotFound if the account was
// deleted in the meantime.
func (a *Accounts) SaveSearch(ctx context.Context, in SaveSearchInput) (*ent.SavedSearch, error) {
	userID, err := searchOwner(ctx)
	if err != nil {
		return nil, err
	}
	if in.Name, err = searchName(in.Name); err != nil {
		return nil, err
	}
	filter := ""
	if len(in.Filter) > 0 {
		b, err := json.Marshal(in.Filter)
		if err != nil {
			return nil, err
		}
		filter = string(b)
	}
	for _, f := range []struct {
		field, text string
		max         int
	}{{"folder", in.Folder, maxSearchText}, {"search", in.Search, maxSearchText}, {"filter", filter, maxSearchFilter}} {
		if len(f.text) > f.max || !utf8.ValidString(f.text) || strings.ContainsRune(f.text, 0) ||
			strings.Contains(f.text, `\u0000`) {
			return nil, fault.OnField(
				fault.Invalid, f.field, "the %s has %d bytes, expected text of at most %d", f.field,
				len(f.text), f.max,
			)
		}
	}
	var saved *ent.SavedSearch
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if _, err := lockOne(ctx, tx, userID); err != nil { // only one of two requests may save the last one
			return err
		}
		n, err := tx.SavedSearch.Query().Where(savedsearch.UserID(userID)).Count(ctx)
		if err != nil {
			return err
		}
		if n >= maxSearches {
			return fault.OnField(
				fault.Invalid, "name",
				"the account has %d saved searches, expected at most %d: delete one first", n, maxSearches,
			)
		}
		saved, err = tx.SavedSearch.Create().
			SetUserID(userID).
			SetName(in.Name).
			SetNameKey(searchKey(in.Name)).
			SetFolder(in.Folder).
			SetRecursive(in.Recursive).
			SetSearch(in.Search).
			SetFilter(filter).
			SetSort(in.Sort).
			SetDescending(in.Descending).
			SetCreatedAt(a.config.Now().UTC()).
			Save(ctx)
		return takenSearch(err, in.Name)
	})
	return saved, err
}

// RenameSearch renames one of the caller's saved searches. It returns the errors of SaveSearch, and
// fault.NotFound.
func (a *Accounts) RenameSearch(ctx context.Context, id uuid.UUID, name string) (*ent.SavedSearch, error) {
	userID, err := searchOwner(ctx)
	if err != nil {
		return nil, err
	}
	if name, err = searchName(name); err != nil {
		return nil, err
	}
	var saved *ent.SavedSearch
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err := tx.SavedSearch.Query().Where(savedsearch.ID(id), savedsearch.UserID(userID)).Only(ctx)
		if err != nil {
			return database.Missing(err, "the saved search", "id")
		}
		saved, err = tx.SavedSearch.UpdateOne(row).SetName(name).SetNameKey(searchKey(name)).Save(ctx)
		return takenSearch(err, name)
	})
	return saved, err
}

// DeleteSearch deletes one of the caller's saved searches. It returns fault.NotFound if the search does not
// exist.
func (a *Accounts) DeleteSearch(ctx context.Context, id uuid.UUID) error {
	userID, err := searchOwner(ctx)
	if err != nil {
		return err
	}
	n, err := a.db.SavedSearch.Delete().Where(savedsearch.ID(id), savedsearch.UserID(userID)).Exec(ctx)
	if err == nil && n == 0 {
		return fault.OnField(fault.NotFound, "id", "the saved search does not exist")
	}
	return database.Translate(err)
}

// searchOwner returns the id of the caller's account. It returns fault.Forbidden for guests.
func searchOwner(ctx context.Context) (uuid.UUID, error) {
	i := auth.FromContext(ctx)
	if i.IsAnonymous() || i.Role == auth.RoleGuest {
		return i.UserID, fault.New(fault.Forbidden, "a guest cannot save searches")
	}
	return i.UserID, nil
}

// searchName returns a name in NFC without white space around it.
func searchName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n == 0 || n > maxSearchName || !utf8.ValidString(name) ||
		strings.ContainsAny(name, "\x00\r\n") {
		return "", fault.OnField(
			fault.Invalid, "name", "the name has %d characters, expected one line of 1 to %d", n,
			maxSearchName,
		)
	}
	return name, nil
}

// searchKey returns the key by which names are unique and sorted.
func searchKey(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// takenSearch converts a violation of the uniqueness of names to fault.Conflict.
func takenSearch(err error, name string) error {
	if ent.IsConstraintError(err) {
		return fault.OnField(fault.Conflict, "name", "there is already a saved search called %s", name)
	}
	return err
}
