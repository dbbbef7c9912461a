package gallery

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/storage"
)

// index is what the database knows about the storage: a row for each file and folder, which follows the storage, and
// the tags and descriptions in sidecars. index_rows.go writes rows, index_sync.go compares a folder with its rows.
type index struct {
	db      *database.DB
	store   storage.Store
	log     *slog.Logger
	now     func() time.Time
	changes atomic.Int64 // counted before and after each change of the storage by this process
}
