// Package stored counts the stored files and their bytes, for quotas.
package stored

import (
	"context"
	"sync"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
)

// kindFile is the kind of the gallery's rows that are files.
const kindFile int8 = 1

// maxAge is how long a sum of the stored files is used: it reads the whole index.
const maxAge = 10 * time.Second

// Sum is the sum of the stored files at a time, and of those that were promised since.
type Sum struct {
	db  *database.DB
	now func() time.Time

	mu           sync.Mutex
	at           time.Time
	files, bytes int64
}

// New returns the sum of the files in db; now is the clock.
func New(db *database.DB, now func() time.Time) *Sum { return &Sum{db: db, now: now} }

// Promise calls allow with the number and the bytes of the stored files, trash included, if a file of that size is added. If
// allow returns nil, later calls count that file. The sums are at most 10 s old.
func (s *Sum) Promise(ctx context.Context, size int64, allow func(files, bytes int64) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); s.at.IsZero() || now.Sub(s.at) >= maxAge {
		var sums []struct {
			Count int64            `json:"count"`
			Sum   entsql.NullInt64 `json:"sum"`
		}
		if err := s.db.Entry.Query().Where(entry.Kind(kindFile)).Aggregate(ent.Count(), ent.Sum(entry.FieldSize)).Scan(ctx, &sums); err != nil {
			return database.Translate(err)
		}
		s.at, s.files, s.bytes = now, sums[0].Count, sums[0].Sum.Int64
	}
	if err := allow(s.files+1, s.bytes+size); err != nil {
		return err
	}
	s.files, s.bytes = s.files+1, s.bytes+size
	return nil
}
