// Package fault is Safelight's one error type: a closed list of codes, a message that may be
// shown to the caller, and the cause, which may not. Every package of ours may import it; it
// imports none (docs/decisions/0002).
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Code says what kind of failure happened. The list is closed: the HTTP and the GraphQL
// mapping tables hold every one of them, and a test keeps it so.
type Code string

// The codes. A comment says what the caller did or met.
const (
	Internal             Code = "INTERNAL"              // a fault of ours; the message is never shown
	Invalid              Code = "INVALID"               // an argument is wrong: a path, an operation, a value
	InvalidRequest       Code = "INVALID_REQUEST"       // the body is missing, not JSON, or a field is missing or of a wrong type
	Unauthenticated      Code = "UNAUTHENTICATED"       // no token, or one that is malformed, expired or revoked
	LoginFailed          Code = "LOGIN_FAILED"          // wrong name or password, or a deactivated account
	Forbidden            Code = "FORBIDDEN"             // the token is good, a scope is missing
	GuestDisabled        Code = "GUEST_DISABLED"        // guest mode is off
	RegistrationDisabled Code = "REGISTRATION_DISABLED" // registration is off
	UnsafeDisabled       Code = "UNSAFE_DISABLED"       // unsigned URLs are not accepted from this caller
	SignatureMismatch    Code = "SIGNATURE_MISMATCH"    // the URL's signature is wrong
	NotFound             Code = "NOT_FOUND"             // the thing named does not exist
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"    // the route exists, not with this method
	Conflict             Code = "CONFLICT"              // the destination exists, or the change contradicts the state
	UsernameExists       Code = "USERNAME_EXISTS"       // that username is taken
	Expired              Code = "EXPIRED"               // expire() is past
	PreconditionFailed   Code = "PRECONDITION_FAILED"   // If-Match or If-Unmodified-Since does not hold
	RangeNotSatisfiable  Code = "RANGE_NOT_SATISFIABLE" // no part of the asked range is there
	TooLarge             Code = "TOO_LARGE"             // the body, file, picture or result exceeds a limit
	UnsupportedType      Code = "UNSUPPORTED_TYPE"      // the file is no picture that this server reads
	UnsupportedFormat    Code = "UNSUPPORTED_FORMAT"    // the output format is none that this build writes
	CorruptImage         Code = "CORRUPT_IMAGE"         // the picture's bytes cannot be decoded
	RateLimited          Code = "RATE_LIMITED"          // too many attempts; try again later
	Overloaded           Code = "OVERLOADED"            // the queue is full; try again later
	Timeout              Code = "TIMEOUT"               // the work took longer than its limit
	Canceled             Code = "CANCELED"              // the caller went away
	Unavailable          Code = "UNAVAILABLE"           // storage or database does not answer
)

// Codes returns every code once, in the order of their declaration.
func Codes() []Code {
	return []Code{Internal, Invalid, InvalidRequest, Unauthenticated, LoginFailed, Forbidden,
		GuestDisabled, RegistrationDisabled, UnsafeDisabled, SignatureMismatch, NotFound,
		MethodNotAllowed, Conflict, UsernameExists, Expired, PreconditionFailed, RangeNotSatisfiable, TooLarge, UnsupportedType,
		UnsupportedFormat, CorruptImage, RateLimited, Overloaded, Timeout, Canceled, Unavailable}
}

// Error is a failure with a code. Message is a full English sentence without a final dot that
// names the thing and what was expected; it may be shown to the caller. Field names the
// argument at fault, empty when none is. Err is the cause, nil when there is none; it is
// logged, never shown.
type Error struct {
	Code    Code
	Field   string
	Message string
	Err     error
	// RetryAfter is how long the caller should wait before it tries again; 0 when waiting does not help.
	RetryAfter time.Duration
}

// Error returns code, message and cause, for logs.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Field != "" {
		s = string(e.Code) + " (" + e.Field + "): " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause, nil when there is none.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error with that code and a message made like fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// OnField returns an error with that code that names the argument at fault.
func OnField(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with that code and message whose cause is err. Its message may be
// shown; err's may not.
func Wrap(err error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// CodeOf returns the code of the first Error in err's chain, Internal for any other error, and
// the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Of returns the first Error in err's chain; any other error becomes one of code Internal with
// the message "Internal error" and err as its cause. It returns nil for nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "Internal error", Err: err}
}

// WithField returns err with its Field set, if it is an Error that names an argument: the caller knows the argument by
// another name. It returns any other error as it is, and nil for nil.
func WithField(err error, field string) error {
	var e *Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	named := *e
	named.Field = field
	return &named
}
