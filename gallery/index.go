package gallery

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// index mirrors the storage in the database: one row for each file and folder, with the notes of their sidecars.
// index_rows.go writes rows, index_sync.go compares a folder with its rows, index_scan.go and index_walk.go read all
// folders.
type index struct {
	db      *database.DB
	access  *access.Access
	store   storage.Store
	log     *slog.Logger
	now     func() time.Time
	publish func(...storage.Key) // notifies watchers of folders
	pdf     bool                 // PDFs count as pictures
	// mayBeEmptied allows files to be removed from the index even if all of them are missing.
	mayBeEmptied bool
	changes      atomic.Int64 // incremented before and after each change of the storage by this process
	writing      atomic.Int32 // number of scan goroutines with changes that are not written yet
}

// statOf converts a row to the description that a storage returns.
func statOf(r *ent.Entry) storage.Stat {
	return storage.Stat{
		Key:      storage.Key(r.Path),
		Size:     r.Size,
		Modified: timeOf(r.Modified),
		ETag:     r.Etag,
		IsFolder: r.Kind == kindFolder,
	}
}
