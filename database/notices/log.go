package notices

import (
	"context"
	"log/slog"
	"time"

	"github.com/safelight/safelight/database"
)

// The topics of notices that the database itself appends, when a row of a table was written.
const (
	ProcessorSettings = "processor_settings"
	StorageSettings   = "storage_settings"
	SigningKeys       = "signing_keys"
	Presets           = "presets"
	Fonts             = "fonts"
)

// pollInterval is how often the log is read, in case a notification was lost.
const pollInterval = time.Second

// maxRead is how many notices are read at a time.
const maxRead = 100

// Notice is an entry of the log. Entries are kept for a week.
type Notice struct {
	ID          int64
	Topic, Body string
}

// Follower handles the notices of all servers.
type Follower struct {
	// Apply is called with each notice, in the order of the log. It is called again with a notice for which
	// it returned an error.
	Apply func(context.Context, Notice) error
	// Missed is called if notices were removed from the log before this server has read them.
	Missed func(context.Context) error
	// Reached is called with the position of the last notice that was applied. It may be nil.
	Reached func(position int64)
	Poll    time.Duration // polling interval while the bus is not connected; 0 is a second
	Log     *slog.Logger
}

// Append adds a notice to the log. It returns the errors of database.Translate. After an error, the notice
// may have been added.
func (b *Bus) Append(ctx context.Context, topic, body string) error {
	_, err := b.db.ExecContext(ctx, "SELECT send_notice($1, $2)", topic, body)
	return database.Translate(err)
}

// End returns the position of the newest notice. Notices that are appended later follow it.
func (b *Bus) End(ctx context.Context) (position int64, err error) {
	_, position, err = b.bounds(ctx)
	return position, err
}

// bounds returns the ids of the oldest and newest notices, or 0 for an empty log.
func (b *Bus) bounds(ctx context.Context) (oldest, newest int64, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM notices").
		Scan(&oldest, &newest)
	return oldest, newest, database.Translate(err)
}

// Follow applies the notices after a position until ctx ends: immediately while the bus is connected, otherwise by
// polling.
func (b *Bus) Follow(ctx context.Context, position int64, f Follower) {
	grown := make(chan struct{}, 1)
	ring := func() {
		select {
		case grown <- struct{}{}:
		default:
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.listen(ctx, &listener{additions, func(string) { ring() }, ring})
	}()
	defer func() { <-ended }()
	if f.Poll == 0 {
		f.Poll = pollInterval
	}
	poll := time.NewTicker(f.Poll)
	defer poll.Stop()
	for failed := false; ; {
		err := b.catchUp(ctx, &position, f)
		if err != nil && !failed && ctx.Err() == nil { // only log the first error of a series
			f.Log.WarnContext(ctx, "following the changes of other servers", "error", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-grown:
		case <-poll.C:
		}
	}
}

// catchUp applies the notices after position, and updates position.
func (b *Bus) catchUp(ctx context.Context, position *int64, f Follower) error {
	oldest, newest, err := b.bounds(ctx)
	if err != nil || newest == *position {
		return err
	}
	reached := func(id int64) {
		*position = id
		if f.Reached != nil {
			f.Reached(id)
		}
	}
	if newest < *position || oldest > *position+1 { // the position is from another database, or too old
		if err := f.Missed(ctx); err != nil {
			return err
		}
		reached(newest)
		return nil
	}
	for *position < newest {
		list, err := b.read(ctx, *position)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, n := range list {
			if err := f.Apply(ctx, n); err != nil {
				return err
			}
			reached(n.ID)
		}
	}
	return nil
}

// read returns the next notices after a position.
func (b *Bus) read(ctx context.Context, after int64) ([]Notice, error) {
	rows, err := b.db.QueryContext(
		ctx, "SELECT id, topic, body FROM notices WHERE id > $1 ORDER BY id LIMIT $2", after, maxRead,
	)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var list []Notice
	for rows.Next() {
		var n Notice
		if err := rows.Scan(&n.ID, &n.Topic, &n.Body); err != nil {
			return nil, database.Translate(err)
		}
		list = append(list, n)
	}
	return list, database.Translate(rows.Err())
}
