package database_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// smallDisk mounts a small file system. If that is not permitted, it skips the test.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	must(t, err)
	defer f.Close()
	for block := make([]byte, 64<<10); len(block) > 0; {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func openOn(t *testing.T, dir string) *database.DB {
	t.Helper()
	pool, err := sql.Open(
		"sqlite3",
		"file:"+filepath.Join(dir, "db")+
			"?_fk=1&_journal_mode=WAL&_busy_timeout=50&_synchronous=NORMAL&_txlock=immediate",
	)
	must(t, err)
	t.Cleanup(func() { pool.Close() })
	must(t, database.Migrate(t.Context(), pool, dialect.SQLite))
	return database.New(pool, dialect.SQLite)
}

// write stores one revoked token that fills a page of the database.
func write(ctx context.Context, db *database.DB, id string) error {
	return db.Transact(ctx, func(tx *ent.Tx) error {
		_, err := tx.ExecContext(
			ctx, "INSERT INTO revoked_tokens (id, expires_at) VALUES (? || hex(randomblob(3000)), ?)", id,
			time.Now(),
		)
		return err
	})
}

// TestFullDisk fills a disk. Essential writes must continue, and others must be rejected until there is space
// again.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, "size=24m")
	db := openOn(t, dir)
	reserve, err := database.OpenReserve(filepath.Join(dir, "reserve"))
	must(t, err)
	defer reserve.Close()
	db.UseReserve(reserve)
	must(t, write(t.Context(), db, "before"))
	fill(t, filepath.Join(dir, "large"))
	for i := range 200 {
		if err := write(database.Essential(t.Context()), db, string(rune('a'+i))); err != nil {
			t.Fatalf("essential write %d: %v", i, err)
		}
	}
	err = write(t.Context(), db, "x")
	if f := fault.Of(err); f == nil || f.Code != fault.Unavailable || f.RetryAfter <= 0 {
		t.Errorf("another write on a full disk: %v", err)
	}
	if err := db.CheckWrite(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("CheckWrite on a full disk: %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, "large")))
	again, err := database.OpenReserve(filepath.Join(dir, "reserve")) // reserves the space immediately
	must(t, err)
	defer again.Close()
	db.UseReserve(again)
	must(t, write(t.Context(), db, "y"))
	if info, err := os.Stat(filepath.Join(dir, "reserve")); err != nil || info.Size() != 8<<20 {
		t.Errorf("the reserve has not grown back: %v, %v", info, err)
	}
}

// TestFullDiskWithoutReserve checks that the error is also a fault without a reserve.
func TestFullDiskWithoutReserve(t *testing.T) {
	dir := smallDisk(t, "size=8m")
	db := openOn(t, dir)
	fill(t, filepath.Join(dir, "large"))
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		err = write(database.Essential(t.Context()), db, "x")
	}
	if f := fault.Of(err); f == nil || f.Code != fault.Unavailable || f.RetryAfter <= 0 {
		t.Errorf("%v, expected UNAVAILABLE", err)
	}
}

// TestLockedDatabase locks the database from another connection.
func TestLockedDatabase(t *testing.T) {
	dir := t.TempDir()
	db := openOn(t, dir)
	must(t, db.CheckWrite(t.Context()))
	other, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "db"))
	must(t, err)
	defer other.Close()
	conn, err := other.Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	must(t, err)
	for _, err := range []error{db.CheckWrite(t.Context()), write(t.Context(), db, "x")} {
		if f := fault.Of(err); f == nil || f.Code != fault.Unavailable || f.RetryAfter <= 0 {
			t.Errorf("%v, expected UNAVAILABLE", err)
		}
	}
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	must(t, db.CheckWrite(t.Context()))
}

func TestProbe(t *testing.T) {
	now, tries, result := time.Unix(1e9, 0), 0, error(nil)
	p := database.NewProbe(func(context.Context) error { tries++; return result }, func() time.Time { return now })
	for i, c := range []struct {
		pass  time.Duration
		give  error
		tries int
		err   error
	}{
		{0, nil, 1, nil}, {9 * time.Second, io.EOF, 1, nil}, {time.Second, io.EOF, 2, io.EOF},
		{time.Second / 2, nil, 2, io.EOF}, {time.Second / 2, nil, 3, nil}, {9 * time.Second, nil, 3, nil},
	} {
		now, result = now.Add(c.pass), c.give
		if err := p.Err(t.Context()); err != c.err || tries != c.tries {
			t.Errorf("step %d: %v after %d tries, expected %v after %d", i, err, tries, c.err, c.tries)
		}
	}
}

// TestHangingProbe checks that only one test hangs, regardless of the number of callers.
func TestHangingProbe(t *testing.T) {
	release, tries := make(chan struct{}), make(chan int, 10)
	p := database.NewProbe(func(context.Context) error { tries <- 1; <-release; return nil }, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if err := p.Err(gone); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%v, expected UNAVAILABLE", err)
		}
	}
	close(release)
	if err := p.Err(t.Context()); err != nil || len(tries) != 1 {
		t.Errorf("%v after %d tries", err, len(tries))
	}
}

// TestPanicRollsBack checks that a transaction whose function panics leaves neither a lock nor rows.
func TestPanicRollsBack(t *testing.T) {
	db := openOn(t, t.TempDir())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_ = db.Transact(t.Context(), func(tx *ent.Tx) error {
			_, err := tx.ExecContext(
				t.Context(), "INSERT INTO revoked_tokens (id, expires_at) VALUES ('lost', ?)", time.Now(),
			)
			must(t, err)
			panic("a bug")
		})
	}()
	must(t, write(t.Context(), db, "x"))
	if n, err := db.RevokedToken.Query().Count(t.Context()); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}
