package gallery

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/album"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/storage"
)

// The limits of albums.
const (
	maxAlbums           = 1000                 // of one account
	maxAlbumFiles       = search.MaxCandidates // of one album; a page reads and sorts all of them
	maxAccountItems     = 100_000              // files in all albums of one account
	maxAlbumTitle       = 100                  // characters
	maxAlbumDescription = 2000                 // characters
)

// Visibility says who may see an album besides its account and admins. Rights on folders still decide which
// of its files they see.
type Visibility string

// Who may see an album.
const (
	VisibilityPrivate  Visibility = "private"
	VisibilityEveryone Visibility = "everyone"
)

// AlbumRules are the search that selects the files of a smart album, as accounts.SaveSearch stores it.
type AlbumRules struct {
	Folder    string
	Recursive bool
	Search    string
	Filter    string // a JSON object in the form of the API; empty: no filter
}

// Album is an ordered collection of files. The files of a smart album are the results of a search.
type Album struct {
	row *ent.Album
	g   *Gallery
}

// IsNode implements the interface Node of the API.
func (*Album) IsNode() {}

// ID returns the id.
func (a *Album) ID() uuid.UUID { return a.row.ID }

// Title returns the title.
func (a *Album) Title() string { return a.row.Title }

// Description returns the description.
func (a *Album) Description() string { return a.row.Description }

// Visibility returns who may see the album besides its owner and admins.
func (a *Album) Visibility() Visibility { return Visibility(a.row.Visibility) }

// SortedBy returns the order of its files.
func (a *Album) SortedBy() Sort { return Sort(a.row.Sort) }

// Descending reports whether the order is reversed.
func (a *Album) Descending() bool { return a.row.Descending }

// Smart reports whether the album's files are the results of a search.
func (a *Album) Smart() bool { return a.row.Smart }

// CreatedAt returns when it was created.
func (a *Album) CreatedAt() time.Time { return a.row.CreatedAt }

// UpdatedAt returns when it was last changed.
func (a *Album) UpdatedAt() time.Time { return a.row.UpdatedAt }

// Owner returns the display name of the account that owns the album.
func (a *Album) Owner() string {
	if a.row.Edges.User == nil {
		return ""
	}
	return a.row.Edges.User.DisplayName
}

// Editable reports whether the caller may change it.
func (a *Album) Editable(ctx context.Context) bool { return mayChangeAlbum(ctx, a.row) }

// Rules returns the search of a smart album, or nil if the caller may not change the album: the search may
// name folders that others may not see.
func (a *Album) Rules(ctx context.Context) *AlbumRules {
	if !a.row.Smart || !ownsAlbum(ctx, a.row) && !seesAllAlbums(ctx) {
		return nil
	}
	return &AlbumRules{
		Folder: a.row.Folder, Recursive: a.row.Recursive, Search: a.row.Search, Filter: a.row.Filter,
	}
}

func ownsAlbum(ctx context.Context, row *ent.Album) bool {
	i := auth.FromContext(ctx)
	return !i.IsAnonymous() && i.Role != auth.RoleGuest && i.UserID == row.UserID
}

func seesAllAlbums(ctx context.Context) bool {
	return access.IsAll(ctx) || auth.FromContext(ctx).Role == auth.RoleAdmin
}

func mayChangeAlbum(ctx context.Context, row *ent.Album) bool {
	i := auth.FromContext(ctx)
	return ownsAlbum(ctx, row) && i.Has(auth.ScopeWrite) || i.Has(auth.ScopeAdmin)
}

// seenAlbums selects the albums that the caller may see.
func seenAlbums(ctx context.Context) predicate.Album {
	i := auth.FromContext(ctx)
	switch {
	case seesAllAlbums(ctx):
		return album.And()
	case i.IsAnonymous() || i.Role == auth.RoleGuest:
		return album.IDIn()
	}
	return album.Or(album.UserID(i.UserID), album.VisibilityEQ(album.VisibilityEveryone))
}

// withOwner loads the names of the accounts that albums belong to.
func withOwner(q *ent.UserQuery) { q.Select(user.FieldID, user.FieldDisplayName) }

// Album returns an album. It returns fault.NotFound if it does not exist or the caller may not see it.
func (g *Gallery) Album(ctx context.Context, id uuid.UUID) (*Album, error) {
	row, err := g.db.Album.Query().Where(album.ID(id), seenAlbums(ctx)).WithUser(withOwner).Only(ctx)
	if err != nil {
		return nil, database.Missing(err, "the album", "id")
	}
	return &Album{row, g}, nil
}

// albumsByTitle is the order of albums.
var albumsByTitle = database.Order[ent.Album]{
	Columns: []string{album.FieldTitleKey, album.FieldID},
	Values:  func(row *ent.Album) []any { return []any{&row.TitleKey, &row.ID} },
}

// AlbumOptions selects albums, and a page of them.
type AlbumOptions struct {
	Own    bool   // only albums of the caller
	Search string // text that the title contains
	First  int    // 1..100
	After  string // a cursor; empty: from the start
}

// Albums returns the albums that the caller may see, in the order of their titles.
func (g *Gallery) Albums(ctx context.Context, o AlbumOptions) (*database.Page[*Album], error) {
	if err := database.CheckSearchText("search", o.Search); err != nil {
		return nil, err
	}
	query := g.db.Album.Query().Where(seenAlbums(ctx)).WithUser(withOwner)
	if o.Own {
		query.Where(album.UserID(auth.FromContext(ctx).UserID))
	}
	if text := tokenizer.Fold(strings.TrimSpace(o.Search)); text != "" {
		query.Where(album.TitleKeyContains(text))
	}
	p, err := database.ReadPage(ctx, query, albumsByTitle, o.First, o.After)
	if err != nil {
		return nil, err
	}
	list := make([]*Album, len(p.Items))
	for i, row := range p.Items {
		list[i] = &Album{row, g}
	}
	return database.WithItems(p, list), nil
}

// ChangeAlbum describes a change of an album, or a new album. nil fields stay unchanged.
type ChangeAlbum struct {
	Title       *string
	Description *string
	Visibility  *Visibility
	Sort        *Sort
	Descending  *bool
	Cover       *string // path of a file in the album; empty: the first file
	Rules       *AlbumRules
}

// check normalizes the texts and returns fault.Invalid for a value out of range.
func (c *ChangeAlbum) check() error {
	if c.Title != nil {
		title := norm.NFC.String(strings.TrimSpace(*c.Title))
		if !IsText(title, maxAlbumTitle, "") {
			return fault.OnField(
				fault.Invalid, "title", "the title has %d characters, expected one line of 1 to %d visible ones",
				utf8.RuneCountInString(title), maxAlbumTitle,
			)
		}
		c.Title = &title
	}
	if c.Description != nil {
		text := norm.NFC.String(strings.TrimSpace(*c.Description))
		if text != "" && !IsText(text, maxAlbumDescription, "\t\n\r") {
			return fault.OnField(
				fault.Invalid, "description", "the description has %d characters, expected text of at most %d",
				utf8.RuneCountInString(text), maxAlbumDescription,
			)
		}
		c.Description = &text
	}
	return nil
}

// apply sets the changed columns of an album.
func (c *ChangeAlbum) apply(m *ent.AlbumMutation) {
	if c.Title != nil {
		m.SetTitle(*c.Title)
		m.SetTitleKey(tokenizer.Fold(*c.Title))
	}
	if c.Description != nil {
		m.SetDescription(*c.Description)
	}
	if c.Visibility != nil {
		m.SetVisibility(album.Visibility(*c.Visibility))
	}
	if c.Sort != nil {
		m.SetSort(string(*c.Sort))
	}
	if c.Descending != nil {
		m.SetDescending(*c.Descending)
	}
	if r := c.Rules; r != nil {
		m.SetSmart(true)
		m.SetFolder(r.Folder)
		m.SetRecursive(r.Recursive)
		m.SetSearch(r.Search)
		m.SetFilter(r.Filter)
	}
}

// checkSort returns fault.Invalid for an order that an album cannot have.
func checkSort(smart bool, sort Sort, descending bool) error {
	switch {
	case smart && sort == SortManual:
		return fault.OnField(
			fault.Invalid, "sort",
			"a smart album cannot be sorted by MANUAL, expected another key",
		)
	case sort == SortManual && descending:
		return fault.OnField(fault.Invalid, "order", "the order is DESC, expected ASC with the sort key MANUAL")
	}
	return nil
}

// CreateAlbum creates an album of the caller. With rules, it is a smart album, sorted by name by default. It
// returns fault.Invalid for a value out of range and for too many albums, and fault.Forbidden for guests.
func (g *Gallery) CreateAlbum(ctx context.Context, c ChangeAlbum) (*Album, error) {
	i := auth.FromContext(ctx)
	if i.IsAnonymous() || i.Role == auth.RoleGuest {
		return nil, fault.New(fault.Forbidden, "a guest cannot have albums")
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	smart := c.Rules != nil
	if c.Sort == nil {
		sort := SortManual
		if smart {
			sort = SortName
		}
		c.Sort = &sort
	}
	if err := checkSort(smart, *c.Sort, c.Descending != nil && *c.Descending); err != nil {
		return nil, err
	}
	now := g.config.Now().UTC()
	var row *ent.Album
	err := g.db.Transact(ctx, func(tx *ent.Tx) error {
		// locked, so that two concurrent requests cannot both create the last allowed album
		if _, err := tx.User.Query().Where(user.ID(i.UserID), database.LockRows).OnlyID(ctx); err != nil {
			return database.Missing(err, "the account", "")
		}
		n, err := tx.Album.Query().Where(album.UserID(i.UserID)).Count(ctx)
		if err != nil {
			return err
		}
		if n >= maxAlbums {
			return fault.OnField(
				fault.Invalid, "title", "the account has %d albums, expected at most %d: delete one first", n,
				maxAlbums,
			)
		}
		create := tx.Album.Create().SetUserID(i.UserID).SetCreatedAt(now).SetUpdatedAt(now)
		c.apply(create.Mutation())
		if row, err = create.Save(ctx); err != nil {
			return err
		}
		return g.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionAlbumCreate, Target: albumTarget(row.ID), After: albumFacts(row),
		})
	})
	if err != nil {
		return nil, err
	}
	g.albumChanged(row)
	return g.Album(ctx, row.ID)
}

// UpdateAlbum changes an album. Only a smart album can have rules. It returns the errors of CreateAlbum,
// fault.NotFound if the caller may not see the album, and fault.Forbidden if they may not change it.
func (g *Gallery) UpdateAlbum(ctx context.Context, id uuid.UUID, c ChangeAlbum) (*Album, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var cover *File
	if c.Cover != nil && *c.Cover != "" {
		var err error
		if cover, err = g.File(ctx, *c.Cover); err != nil {
			return nil, fault.WithField(err, "coverPath")
		}
	}
	var before, after *ent.Album
	err := g.changeAlbum(ctx, id, func(tx *ent.Tx, row *ent.Album) (err error) {
		before = row
		if c.Rules != nil && !row.Smart {
			return fault.OnField(
				fault.Invalid, "savedSearchId", "the album holds files that were added, expected a smart album",
			)
		}
		sort, descending := Sort(row.Sort), row.Descending
		if c.Sort != nil {
			sort = *c.Sort
		}
		if c.Descending != nil {
			descending = *c.Descending
		}
		if err := checkSort(row.Smart, sort, descending); err != nil {
			return err
		}
		update := tx.Album.UpdateOne(row).SetUpdatedAt(g.config.Now().UTC())
		c.apply(update.Mutation())
		if c.Cover != nil {
			update.ClearCoverID()
		}
		if cover != nil {
			update.SetCoverID(cover.row.ID)
		}
		if after, err = update.Save(ctx); err != nil {
			return err
		}
		return g.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionAlbumUpdate, Target: albumTarget(id), Before: albumFacts(before),
			After: albumFacts(after),
		})
	})
	if err != nil {
		return nil, err
	}
	g.albumChanged(before)
	g.albumChanged(after)
	return g.Album(ctx, id)
}

// DeleteAlbum deletes an album, but not its files. It returns the errors of UpdateAlbum.
func (g *Gallery) DeleteAlbum(ctx context.Context, id uuid.UUID) error {
	var gone *ent.Album
	err := g.changeAlbum(ctx, id, func(tx *ent.Tx, row *ent.Album) error {
		gone = row
		if err := tx.Album.DeleteOne(row).Exec(ctx); err != nil {
			return err
		}
		return g.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionAlbumDelete, Target: albumTarget(id), Before: albumFacts(row),
		})
	})
	if err == nil {
		g.albumChanged(gone)
	}
	return err
}

// changeAlbum calls do with an album that the caller may change, locked until the transaction ends.
func (g *Gallery) changeAlbum(ctx context.Context, id uuid.UUID, do func(*ent.Tx, *ent.Album) error) error {
	return g.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err := tx.Album.Query().Where(album.ID(id), seenAlbums(ctx), database.LockRows).Only(ctx)
		if err != nil {
			return database.Missing(err, "the album", "id")
		}
		if !mayChangeAlbum(ctx, row) {
			return notYourAlbum(row)
		}
		return do(tx, row)
	})
}

func notYourAlbum(row *ent.Album) error {
	return fault.OnField(
		fault.Forbidden, "id", "you may view the album %s, but not change it", fault.Quote(row.Title),
	)
}

func albumTarget(id uuid.UUID) string { return "album:" + id.String() }

func albumFacts(row *ent.Album) audit.Facts {
	return audit.Facts{
		"title": row.Title, "visibility": string(row.Visibility), "sort": row.Sort, "descending": row.Descending,
		"smart": row.Smart,
	}
}

// noticeNames is the folder of the keys under which changes of albums and feedback are published. No file has
// such a path.
const (
	noticeNames     storage.Key = privateName + "/notices"
	albumNotices                = noticeNames + "/albums"
	feedbackNotices             = noticeNames + "/feedback"
)

// albumNotice returns the key under which a change of an album is published. It encodes who may learn of the
// change.
func albumNotice(row *ent.Album) storage.Key {
	return albumNotices.Join(string(row.Visibility)).Join(row.UserID.String()).Join(row.ID.String())
}

// albumChanged notifies watchers of albums.
func (g *Gallery) albumChanged(row *ent.Album) { g.changes.Publish(albumNotice(row)) }
