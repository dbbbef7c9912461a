package leases

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
)

// Joined is the topic of the notice that a server has started.
const Joined = "turns"

const (
	turnTime  = 10 * time.Second // of a turn, without a renewal
	beatEvery = 10 * time.Second
	beatTime  = 3 * beatEvery // a server that was killed counts for that long
	turnPause = 10 * time.Second

	minTurnPoll = 20 * time.Millisecond
	maxTurnPoll = 250 * time.Millisecond

	// Below this CPU time, or the time of this many round trips to the database, asking costs more than it saves.
	minTurnCost   = 50 * time.Millisecond
	turnQuestions = 4
)

// TurnsConfig configures turns.
type TurnsConfig struct {
	Shared   string                      // identifies the cache in which the servers find each other's results
	Timeout  time.Duration               // of a query; 0 is two seconds
	Announce func(context.Context) error // tells the others to call Beat
	Log      *slog.Logger
}

// Turns avoids that several servers render the same result: one renders it, and the others wait until it is in the
// shared cache. A turn is a lease. Create it with NewTurns. Its methods are safe for concurrent use.
type Turns struct {
	config  TurnsConfig
	leases  *Leases
	prefix  string // of the names of leases
	others  atomic.Int64
	beating sync.Mutex
	joined  bool                      // the others know of this server
	asked   atomic.Int64              // nanoseconds that the last query took
	paused  atomic.Pointer[time.Time] // no queries until then, after a failure; nil: there was none
}

// NewTurns returns the turns of a server on a migrated PostgreSQL database. On SQLite or without a shared cache it
// returns nil, whose methods do nothing.
func NewTurns(c TurnsConfig, db *sql.DB, name string) *Turns {
	if name != dialect.Postgres || c.Shared == "" {
		return nil
	}
	if c.Timeout == 0 {
		c.Timeout = 2 * time.Second
	}
	sum := sha256.Sum256([]byte(c.Shared))
	return &Turns{
		config: c,
		leases: New(Config{Time: turnTime, Log: c.Log}, db, name),
		prefix: hex.EncodeToString(sum[:8]) + "/",
	}
}

// Run announces this server and counts the others every 10 s, until ctx ends.
func (t *Turns) Run(ctx context.Context) {
	if t == nil {
		return
	}
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		t.Beat(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			aside, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			// if this fails, it expires by itself
			_, _ = t.leases.db.ExecContext(aside, "DELETE FROM leases WHERE name = $1", t.presence()+t.leases.owner)
			return
		}
	}
}

func (t *Turns) presence() string { return "shares/" + t.prefix }

// Beat announces this server and counts the others. It also removes the rows of turns that have ended.
func (t *Turns) Beat(ctx context.Context) {
	if t == nil {
		return
	}
	t.beating.Lock()
	defer t.beating.Unlock()
	var others int64
	began := time.Now()
	err := t.leases.db.QueryRowContext(ctx, `WITH here AS (
			INSERT INTO leases (name, owner, fence, expires_at) VALUES ($1::text || $2::text, $2, 1, clock_timestamp() + make_interval(secs => $3))
			ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at
		), gone AS (
			DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE (starts_with(name, 'turn/') OR starts_with(name, 'shares/'))
				AND expires_at < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED)
		) SELECT count(*) FROM leases WHERE starts_with(name, $1) AND owner <> $2 AND expires_at > clock_timestamp()`,
		t.presence(), t.leases.owner, beatTime.Seconds()).Scan(&others)
	if err != nil {
		return // the next one may succeed
	}
	t.asked.Store(int64(time.Since(began))) // a slow moment ends
	if t.others.Swap(others) != others {
		t.config.Log.InfoContext(ctx, "expensive results are rendered once for all servers", "others", others)
	}
	if !t.joined && others > 0 {
		t.joined = t.config.Announce(ctx) == nil // else with the next
	}
}

// Turn waits until this server should render a result that costs this much CPU time. It returns immediately if there is
// no other server, or if the cost is too small. The caller calls end once the others can find the result, or if it
// failed. found is true if look has found the result of another server. After half of the time that ctx leaves, and if
// the database does not respond, this server renders the result, too.
func (t *Turns) Turn(ctx context.Context, name string, cost time.Duration, look func() bool) (end func(), found bool) {
	none := func() {}
	if t == nil || t.others.Load() == 0 || cost < minTurnCost || cost < turnQuestions*time.Duration(t.asked.Load()) {
		return none, false
	}
	if until := t.paused.Load(); until != nil && time.Now().Before(*until) {
		return none, false
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	for wait := minTurnPoll; ; wait = min(2*wait, maxTurnPoll) {
		held, err := t.ask(ctx, "turn/"+t.prefix+name)
		if err != nil {
			return none, false
		}
		if held != nil {
			end = held.keepUntil()
			if held.fence > 1 && look() { // another server had it within the last minute
				end()
				return none, true
			}
			return end, false
		}
		select {
		case <-ctx.Done():
			return none, false
		case <-time.After(wait/2 + mathrand.N(wait)):
		}
	}
}

// ask tries to take a lease, and pauses turns if the database does not answer.
func (t *Turns) ask(ctx context.Context, name string) (*lease, error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, t.config.Timeout)
	defer cancel()
	held, err := t.leases.claim(limited, name)
	if err == nil {
		t.asked.Store(int64(time.Since(began)))
	} else if limited.Err() != nil {
		t.giveBack(name)
	}
	if err != nil && ctx.Err() == nil {
		until := time.Now().Add(turnPause)
		t.paused.Store(&until)
		t.config.Log.WarnContext(
			ctx, "the database does not respond, servers render results without waiting for each other",
			"error", database.Translate(err),
		)
	}
	return held, err
}

// giveBack ends a turn of this server that it may have got without knowing, for which the others would wait. It does
// not wait for the database.
func (t *Turns) giveBack(name string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), turnTime)
		defer cancel()
		// if this fails, it expires by itself
		_, _ = t.leases.db.ExecContext(ctx, `UPDATE leases SET expires_at = clock_timestamp()
			WHERE name = $1 AND owner = $2 AND expires_at > clock_timestamp()`, name, t.leases.owner)
	}()
}

// keepUntil renews the lease until end is called, which ends it without waiting for the database.
func (h *lease) keepUntil() (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		h.keep(ctx)
	}()
	return sync.OnceFunc(func() {
		cancel()
		go func() {
			<-kept
			h.end(context.Background())
		}()
	})
}
