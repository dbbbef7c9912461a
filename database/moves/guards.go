package moves

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/safelight/safelight/database"
)

// change runs do in a transaction. Only one runs at a time; on SQLite, it locks the file from the start. It
// waits up to a minute for the lock, and rolls back if do fails.
func change(ctx context.Context, d Database, do func(session) error) error {
	conn, err := d.DB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("opening %s: %w", d.Place, err)
	}
	defer conn.Close()
	begin := []string{"BEGIN IMMEDIATE"}
	if d.isPostgres() {
		begin = []string{
			"BEGIN",
			"SET LOCAL lock_timeout = '60s'",
			fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", database.LockNumber("safelight mark")),
		}
	}
	if err = runAll(ctx, conn, begin...); err != nil {
		err = fmt.Errorf("changing %s: %w", d.Place, err)
	} else if err = do(conn); err == nil {
		err = runAll(ctx, conn, "COMMIT")
	}
	if err != nil && runAll(context.WithoutCancel(ctx), conn, "ROLLBACK") != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // so that the pool does not reuse it
	}
	return err
}

// message is the error message of the triggers. It starts like the message of a read-only database and has
// its code 25006, which every version of the server recognizes.
const message = "attempt to write a readonly database: " + database.MovingText

// guard is a trigger that rejects statements, such as INSERT, on a table.
type guard struct{ name, table, statements string }

// guards are triggers and, on PostgreSQL, the function that they call.
type guards struct {
	function string
	list     []guard
}

// create returns the statements that create or replace the triggers.
func (g guards) create(d Database) []string {
	list := g.drop(d)
	if d.isPostgres() {
		list = append(
			list,
			"CREATE OR REPLACE FUNCTION "+g.function+"() RETURNS trigger LANGUAGE plpgsql AS "+
				"$$ BEGIN RAISE EXCEPTION '"+message+"' USING ERRCODE = '25006'; END $$",
		)
	}
	for _, one := range g.list {
		action := "BEGIN SELECT RAISE(ABORT, '" + message + "'); END"
		if d.isPostgres() {
			action = "FOR EACH ROW EXECUTE FUNCTION " + g.function + "()"
		}
		list = append(
			list,
			"CREATE TRIGGER "+quoted(one.name)+" BEFORE "+one.statements+" ON "+quoted(one.table)+" "+action,
		)
	}
	return list
}

// drop returns the statements that remove the triggers.
func (g guards) drop(d Database) (list []string) {
	for _, one := range g.list {
		statement := "DROP TRIGGER IF EXISTS " + quoted(one.name)
		if d.isPostgres() {
			statement += " ON " + quoted(one.table)
		}
		list = append(list, statement)
	}
	if d.isPostgres() {
		list = append(list, "DROP FUNCTION IF EXISTS "+g.function+"()")
	}
	return list
}

// tableGuards reject changes of all tables.
func tableGuards(d Database) guards {
	g := guards{function: "safelight_moving"}
	for _, t := range tables() {
		if d.isPostgres() {
			g.list = append(g.list, guard{"moving_" + t.Name + "_change", t.Name, "INSERT OR UPDATE OR DELETE"})
			continue
		}
		for _, statement := range []string{"INSERT", "UPDATE", "DELETE"} {
			g.list = append(g.list, guard{"moving_" + t.Name + "_" + strings.ToLower(statement), t.Name, statement})
		}
	}
	return g
}

// fileGuards reject the statements with which a server records the intent of a file change, confirms bytes of
// an upload, or takes over a change in order to heal it.
var fileGuards = guards{function: "safelight_moving_files", list: []guard{
	{"moving_files_intents_INSERT", "intents", "INSERT"},
	{"moving_files_intents_UPDATE OF owner", "intents", "UPDATE OF owner"},
	{"moving_files_pending_uploads_INSERT", "pending_uploads", "INSERT"},
	{"moving_files_pending_uploads_UPDATE", "pending_uploads", "UPDATE"},
	{"moving_files_pending_parts_INSERT", "pending_parts", "INSERT"},
}}
