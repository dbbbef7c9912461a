package gallery

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/album"
	"github.com/safelight/safelight/ent/albumitem"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// This file stores which files an album contains, and in what order. Items refer to entries, so they follow
// files that are renamed, moved, trashed or restored. A trigger removes an item together with its entry.
//
// Positions have gaps, so that a move only updates the rows that move. All positions of an album are
// rewritten only when a gap is used up.

const (
	positionGap = int64(1) << 32 // between neighboring items that were never moved
	maxPosition = int64(1) << 60 // all positions are rewritten when one would exceed it
)

// AddToAlbum adds files to an album. With places, one for each path as Album.Places returned them, the files
// return to these positions. Otherwise they are appended. A file that is already in the album stays where it
// is.
//
// It returns fault.Invalid for too many files, for malformed places and for a smart album, and the
// fault.NotFound and fault.Forbidden errors of UpdateAlbum.
func (g *Gallery) AddToAlbum(
	ctx context.Context, id uuid.UUID, paths, places []string,
) (*Album, []*BulkResult, error) {
	former, err := parsePlaces(paths, places)
	if err != nil {
		return nil, nil, err
	}
	return g.changeItems(ctx, id, paths, func(tx *ent.Tx, row *ent.Album, _, out []*BulkResult) (audit.Facts, error) {
		if err := checkItems(ctx, tx, row, len(out)); err != nil {
			return nil, err
		}
		positions, err := g.placesFor(ctx, tx, id, len(out), nil, nil)
		if err != nil {
			return nil, err
		}
		rows := make([]*ent.AlbumItemCreate, len(out))
		for i, r := range out {
			e := r.updated.row.ID
			if was, ok := former[r.Path]; ok {
				positions[i] = was.position
				if was.cover && row.CoverID == nil {
					if err := tx.Album.UpdateOne(row).SetCoverID(e).Exec(ctx); err != nil {
						return nil, err
					}
				}
			}
			rows[i] = tx.AlbumItem.Create().SetAlbumID(id).SetEntryID(e).SetPosition(positions[i])
		}
		return audit.Facts{"added": len(out)}, tx.AlbumItem.CreateBulk(rows...).Exec(ctx)
	})
}

// Places returns the positions of files in the album, so that AddToAlbum can undo RemoveFromAlbum. There is
// one text for each path. It is empty for a file that is not in the album or that the caller may not see.
// Places returns nil for callers who may not change the album, and fault.Invalid for no paths or too many.
func (a *Album) Places(ctx context.Context, paths []string) ([]string, error) {
	if !a.Editable(ctx) {
		return nil, nil
	}
	files, err := a.g.FilesByPath(ctx, paths)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int, len(files))
	for _, f := range files {
		ids[f.Path()] = f.EntryID()
	}
	items, err := a.g.db.AlbumItem.Query().
		Where(albumitem.AlbumID(a.row.ID), albumitem.EntryIDIn(slices.Collect(maps.Values(ids))...)).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	known := make(map[int]string, len(items))
	for _, item := range items {
		cover := a.row.CoverID != nil && *a.row.CoverID == item.EntryID
		known[item.EntryID] = albumPlace{item.Position, cover}.String()
	}
	places := make([]string, len(paths))
	for i, p := range paths {
		places[i] = known[ids[p]]
	}
	return places, nil
}

// albumPlace is where a file is in an album.
type albumPlace struct {
	position int64
	cover    bool // it was chosen as the cover
}

const coverPlace = "c" // ends the text of a place whose file was the cover

// String encodes a place for the API.
func (p albumPlace) String() string {
	text := strconv.FormatInt(p.position, 36)
	if p.cover {
		text += " " + coverPlace
	}
	return text
}

// parsePlaces returns the place of each path. It returns fault.Invalid unless places is empty or has one for
// each path.
func parsePlaces(paths, places []string) (map[string]albumPlace, error) {
	if len(places) == 0 {
		return nil, nil
	}
	if len(places) != len(paths) {
		return nil, fault.OnField(
			fault.Invalid, "places", "%d places for %d paths, expected one for each path", len(places), len(paths),
		)
	}
	all := make(map[string]albumPlace, len(paths))
	for i, text := range places {
		number, mark, marked := strings.Cut(text, " ")
		n, err := strconv.ParseInt(number, 36, 64)
		if err != nil || n < -maxPosition || n > maxPosition || marked && mark != coverPlace {
			return nil, fault.OnField(
				fault.Invalid, "places", "the place %s is invalid, expected one from Album.places", fault.Quote(text),
			)
		}
		all[paths[i]] = albumPlace{position: n, cover: marked}
	}
	return all, nil
}

// checkItems returns fault.Invalid if an album, or all albums of its account, would have too many files. The
// error does not contain the count, because it would include files that the caller may no longer see.
func checkItems(ctx context.Context, tx *ent.Tx, row *ent.Album, more int) error {
	if more == 0 {
		return nil
	}
	n, err := tx.AlbumItem.Query().Where(albumitem.AlbumID(row.ID)).Count(ctx)
	if err != nil {
		return err
	}
	if n+more > maxAlbumFiles {
		return fault.OnField(
			fault.Invalid, "paths", "the album would have more than %d files, the most that one can have", maxAlbumFiles,
		)
	}
	// locked, so that concurrent additions to two albums cannot exceed the limit together
	if _, err := tx.User.Query().Where(user.ID(row.UserID), database.LockRows).OnlyID(ctx); err != nil {
		return err
	}
	n, err = tx.AlbumItem.Query().Where(albumitem.HasAlbumWith(album.UserID(row.UserID))).Count(ctx)
	if err == nil && n+more > maxAccountItems {
		err = fault.OnField(
			fault.Invalid, "paths", "the albums of the account would have more than %d files, the most that they can have",
			maxAccountItems,
		)
	}
	return err
}

// RemoveFromAlbum takes files out of an album. The files stay. A path that is not in the album results in
// fault.NotFound.
func (g *Gallery) RemoveFromAlbum(ctx context.Context, id uuid.UUID, paths []string) (*Album, []*BulkResult, error) {
	return g.changeThose(ctx, id, paths, func(tx *ent.Tx, row *ent.Album, in []*BulkResult) (audit.Facts, error) {
		gone := entriesOf(in)
		if row.CoverID != nil && slices.Contains(gone, *row.CoverID) {
			if err := tx.Album.UpdateOne(row).ClearCoverID().Exec(ctx); err != nil {
				return nil, err
			}
		}
		n, err := tx.AlbumItem.Delete().Where(albumitem.AlbumID(id), albumitem.EntryIDIn(gone...)).Exec(ctx)
		return audit.Facts{"removed": n}, err
	})
}

// MoveInAlbum moves files of an album before one of its other files, in the order of the paths. If before is
// empty, it moves them to the end. It switches the album to manual order. A path that is not in the album
// results in fault.NotFound.
func (g *Gallery) MoveInAlbum(
	ctx context.Context, id uuid.UUID, paths []string, before string,
) (*Album, []*BulkResult, error) {
	var next *int
	if before != "" {
		f, err := g.File(ctx, before)
		if err != nil {
			return nil, nil, fault.WithField(err, "before")
		}
		next = &f.row.ID
	}
	return g.changeThose(ctx, id, paths, func(tx *ent.Tx, row *ent.Album, in []*BulkResult) (audit.Facts, error) {
		moving := entriesOf(in)
		if next != nil && slices.Contains(moving, *next) {
			return nil, fault.OnField(fault.Invalid, "before", "%s is among the files to move, expected another file",
				before)
		}
		places, err := g.placesFor(ctx, tx, id, len(in), moving, next)
		if err != nil {
			return nil, err
		}
		for i, e := range moving {
			err := tx.AlbumItem.Update().
				Where(albumitem.AlbumID(id), albumitem.EntryID(e)).
				SetPosition(places[i]).
				Exec(ctx)
			if err != nil {
				return nil, err
			}
		}
		return audit.Facts{"moved": len(in)}, tx.Album.UpdateOne(row).SetSort(string(SortManual)).SetDescending(false).
			Exec(ctx)
	})
}

// changeThose is changeItems for files that must be in the album. Other files result in fault.NotFound.
func (g *Gallery) changeThose(
	ctx context.Context, id uuid.UUID, paths []string, do func(*ent.Tx, *ent.Album, []*BulkResult) (audit.Facts, error),
) (*Album, []*BulkResult, error) {
	var missing []int
	a, results, err := g.changeItems(
		ctx, id, paths,
		func(tx *ent.Tx, row *ent.Album, in, out []*BulkResult) (audit.Facts, error) {
			missing = entriesOf(out)
			return do(tx, row, in)
		},
	)
	for _, r := range results {
		if r.Err == nil && slices.Contains(missing, r.updated.row.ID) {
			r.Err, r.updated = fault.OnField(fault.NotFound, "path", "%s is not in the album", r.Path), nil
		}
	}
	return a, results, err
}

// changeItems calls do in a transaction that has locked the album. do gets the results of the files that are
// in the album and of those that are not, without duplicates, in the order of the paths. changeItems returns
// the album and one result per path.
func (g *Gallery) changeItems(
	ctx context.Context,
	id uuid.UUID,
	paths []string,
	do func(tx *ent.Tx, row *ent.Album, in, out []*BulkResult) (audit.Facts, error),
) (*Album, []*BulkResult, error) {
	a, err := g.Album(ctx, id)
	switch {
	case err != nil:
		return nil, nil, err
	case !a.Editable(ctx): // checked before the paths are read
		return nil, nil, notYourAlbum(a.row)
	case a.row.Smart:
		return nil, nil, fault.OnField(
			fault.Invalid, "id", "the album %s is a smart album, expected one to which files are added",
			fault.Quote(a.row.Title),
		)
	}
	results, err := g.each(ctx, paths, "paths", func(ctx context.Context, p string, r *BulkResult) error {
		k, err := ParseVisible(p, "path")
		if err == nil {
			r.updated, err = g.File(ctx, string(k))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var changed *ent.Album
	err = g.changeAlbum(ctx, id, func(tx *ent.Tx, row *ent.Album) error {
		in, out, err := itemsOf(ctx, tx, id, results)
		if err != nil {
			return err
		}
		facts, err := do(tx, row, in, out)
		if err != nil {
			return err
		}
		if changed, err = tx.Album.UpdateOneID(id).SetUpdatedAt(g.config.Now().UTC()).Save(ctx); err != nil {
			return err
		}
		facts["title"] = changed.Title
		return g.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionAlbumFiles, Target: albumTarget(id), After: facts})
	})
	if err != nil {
		return nil, nil, err
	}
	g.albumChanged(changed)
	a, err = g.Album(ctx, id)
	return a, results, err
}

// entriesOf returns the entries of files that were found.
func entriesOf(results []*BulkResult) []int {
	list := make([]int, len(results))
	for i, r := range results {
		list[i] = r.updated.row.ID
	}
	return list
}

// itemsOf returns the results of files that were found: those in the album, and those not in it. It locks the
// entries until the transaction ends. An entry that was deleted concurrently counts as not found. Otherwise
// its item would remain forever, because the trigger that removes items has already run.
func itemsOf(
	ctx context.Context, tx *ent.Tx, id uuid.UUID, results []*BulkResult,
) (in, out []*BulkResult, err error) {
	var found []int
	for _, r := range results {
		if r.Err == nil {
			found = append(found, r.updated.row.ID)
		}
	}
	there, err := tx.Entry.Query().
		Where(entry.IDIn(found...), database.LockRows).
		Order(entry.ByID()).
		Select(entry.FieldID).
		Ints(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all []*BulkResult
	for _, r := range results {
		switch {
		case r.Err != nil:
		case !slices.Contains(there, r.updated.row.ID):
			r.Err, r.updated = fault.OnField(fault.NotFound, "path", "%s does not exist", r.Path), nil
		default:
			all = append(all, r)
		}
	}
	known, err := tx.AlbumItem.Query().
		Where(albumitem.AlbumID(id), albumitem.EntryIDIn(entriesOf(all)...)).
		Select(albumitem.FieldEntryID).
		Ints(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen := map[int]bool{}
	for _, r := range all {
		e := r.updated.row.ID
		switch {
		case seen[e]:
		case slices.Contains(known, e):
			in = append(in, r)
		default:
			out = append(out, r)
		}
		seen[e] = true
	}
	return in, out, nil
}

// placesFor returns n ascending positions before the item of an entry, or at the end. Items that move are
// ignored.
func (g *Gallery) placesFor(
	ctx context.Context, tx *ent.Tx, id uuid.UUID, n int, moving []int, before *int,
) ([]int64, error) {
	for again := false; ; again = true {
		rest := tx.AlbumItem.Query().Where(albumitem.AlbumID(id), albumitem.EntryIDNotIn(moving...))
		var high *ent.AlbumItem
		if before != nil {
			var err error
			high, err = rest.Clone().Where(albumitem.EntryID(*before)).Only(ctx)
			if ent.IsNotFound(err) {
				return nil, fault.OnField(fault.NotFound, "before", "the file is not in the album")
			}
			if err != nil {
				return nil, err
			}
			rest = rest.Where(albumitem.PositionLT(high.Position))
		}
		low, err := rest.Order(ent.Desc(albumitem.FieldPosition)).First(ctx)
		if err != nil && !ent.IsNotFound(err) {
			return nil, err
		}
		if places := between(low, high, n); places != nil || again {
			return places, nil
		}
		if err := g.spread(ctx, tx, id); err != nil {
			return nil, err
		}
	}
}

// between returns n positions between two items, or nil if there is not enough room. low and high may be nil.
func between(low, high *ent.AlbumItem, n int) []int64 {
	step := positionGap
	var start int64
	switch {
	case low != nil && high != nil:
		start = low.Position
		step = (high.Position - low.Position) / int64(n+1)
	case low != nil:
		start = low.Position
	case high != nil:
		start = high.Position - int64(n+1)*step
	}
	end := start + int64(n)*step
	if step < 1 || start < -maxPosition || end > maxPosition {
		return nil
	}
	places := make([]int64, n)
	for i := range places {
		places[i] = start + int64(i+1)*step
	}
	return places
}

// spread rewrites the positions of an album's items with even gaps, in the same order.
func (g *Gallery) spread(ctx context.Context, tx *ent.Tx, id uuid.UUID) error {
	return g.index.run(
		ctx, tx.Client(),
		"UPDATE album_items SET position = spread.place FROM (SELECT id, row_number() OVER (ORDER BY position, id) * ? "+
			"AS place FROM album_items WHERE album_id = ?) AS spread WHERE spread.id = album_items.id",
		positionGap, id,
	)
}
