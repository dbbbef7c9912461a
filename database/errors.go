package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// MovingText is part of the errors for changes while package moves copies the database or its files, and
// afterwards.
const MovingText = "it is being moved"

// Translate converts errors of the database to faults. It returns faults and unknown errors unchanged. A
// missing row becomes fault.NotFound with a generic message. Callers that know what is missing use Missing
// instead.
func Translate(err error) error {
	switch {
	case err == nil, fault.CodeOf(err) != fault.Internal:
		return err
	case ent.IsNotFound(err):
		return fault.Wrap(err, fault.NotFound, "the object does not exist")
	case ent.IsValidationError(err):
		return fault.Wrap(err, fault.Invalid, "a value is out of range")
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "the request was canceled")
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "the database took too long")
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.As(err, new(*net.OpError)):
		return unavailable(err)
	case IsFull(err):
		return full(err)
	case IsMoving(err):
		return later(err, 30*time.Second, "the gallery is being moved: it can be read, but not changed")
	case isBusy(err):
		return later(err, time.Second, "the database is busy, try again later")
	case isBroken(err):
		return later(err, 10*time.Second, "the database cannot be read or written")
	case IsInvalidText(err):
		return fault.Wrap(err, fault.Invalid, "a text contains the character U+0000, which is not allowed")
	}
	return err
}

// IsMoving reports whether a change was rejected because the database or its files are being moved or were
// moved.
func IsMoving(err error) bool { return err != nil && strings.Contains(err.Error(), MovingText) }

// Missing is Translate with the name of the missing row in the message: "the user does not exist". field is
// the argument that identifies the row; empty if there is none.
func Missing(err error, what, field string) error {
	if !ent.IsNotFound(err) {
		return Translate(err)
	}
	f := fault.Wrap(err, fault.NotFound, "%s does not exist", what)
	f.Field = field
	return f
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return later(err, time.Second, "the database does not respond")
}

// IsInvalidText reports whether PostgreSQL rejected a text because it contains a NUL.
func IsInvalidText(err error) bool {
	var state interface{ SQLState() string }
	return errors.As(err, &state) && state.SQLState() == "22021"
}

// isBusy reports whether the database is stopping, starting, out of connections, or locked by another
// process. Such states are often temporary.
func isBusy(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		class := state.SQLState()[:min(2, len(state.SQLState()))]
		return class == "08" || class == "53" || class == "57"
	}
	text := err.Error() // the driver's error has no method for it
	return strings.Contains(text, "database is locked") || strings.Contains(text, "database table is locked")
}

// isBroken reports whether the database is missing or read-only, or its disk fails. An operator must fix
// these problems.
func isBroken(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState() == "25006" || strings.HasPrefix(state.SQLState(), "58") // read-only, system error
	}
	for _, text := range []string{
		"attempt to write a readonly database", "unable to open database file",
		"disk I/O error", "database disk image is malformed",
	} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// later returns fault.Unavailable with RetryAfter. err may be nil.
func later(err error, after time.Duration, message string) error {
	f := fault.Wrap(err, fault.Unavailable, "%s", message)
	f.RetryAfter = after
	return f
}

// full returns fault.Unavailable for a full disk.
func full(err error) error {
	return later(err, 30*time.Second, "the disk of the database is full, try again when there is space")
}

// IsFull reports whether an error of the database or the file system means that the disk is full.
func IsFull(err error) bool {
	var state interface{ SQLState() string }
	switch {
	case err == nil:
		return false
	case errors.As(err, &state):
		return state.SQLState() == "53100"
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		strings.Contains(err.Error(), "database or disk is full")
}
