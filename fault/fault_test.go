package fault

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

func TestError(t *testing.T) {
	for want, err := range map[string]error{
		"NOT_FOUND: no file a.png":            New(NotFound, "no file %s", "a.png"),
		"INVALID (path): it is empty":         OnField(Invalid, "path", "it is empty"),
		"UNAVAILABLE: the storage fails: EOF": Wrap(io.EOF, Unavailable, "the %s fails", "storage"),
		"INVALID (path): it is wrong: EOF": &Error{Code: Invalid, Field: "path", Message: "it is wrong",
			Err: io.EOF},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := Wrap(io.EOF, Unavailable, "x"); !errors.Is(err, io.EOF) || New(Internal, "x").Unwrap() != nil {
		t.Error("Unwrap does not return the cause")
	}
}

func TestCodeOf(t *testing.T) {
	missing := New(NotFound, "x")
	for _, c := range []struct {
		err  error
		want Code
	}{{nil, ""}, {io.EOF, Internal}, {missing, NotFound}, {fmt.Errorf("reading: %w", missing), NotFound},
		{Wrap(missing, Timeout, "x"), Timeout}} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	if Of(nil) != nil || Of(fmt.Errorf("reading: %w", missing)) != missing {
		t.Error("Of does not return the error of the chain")
	}
	if f := Of(io.EOF); f.Code != Internal || f.Message != "Internal error" || f.Err != io.EOF {
		t.Errorf("another error becomes %v", f)
	}
	if list := slices.Sorted(slices.Values(Codes())); len(slices.Compact(list)) != len(Codes()) {
		t.Error("a code is listed twice")
	}
}

func TestWithField(t *testing.T) {
	named := OnField(Invalid, "w", "too wide")
	for _, c := range []struct {
		err   error
		field string
		same  bool
	}{{named, "width", false}, {New(NotFound, "x"), "", true}, {io.EOF, "", true}, {nil, "", true}} {
		got := WithField(c.err, "width")
		if (got == c.err) != c.same || got != nil && Of(got).Field != c.field {
			t.Errorf("%v becomes %v", c.err, got)
		}
	}
	if named.Field != "w" {
		t.Error("the error itself was changed")
	}
}

func TestRequestID(t *testing.T) {
	if got := RequestID(WithRequestID(t.Context(), "a1")); got != "a1" || RequestID(t.Context()) != "" {
		t.Errorf("got %q", got)
	}
}
