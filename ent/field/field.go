// Package field describes columns for the schemas of ent, with the names and the meaning of entgo.io/ent/schema/field.
//
// The program uses it instead of that package: the generated client reads defaults and validators at its start, and what the builders of ent
// return lists the methods of Go types by reflection: a program in which that can happen keeps every exported method of every type, 9 MB
// (docs/decisions/0021).
package field

import (
	"errors"
	"reflect"
	"time"

	"entgo.io/ent/schema/field"
	"github.com/google/uuid"
)

// Column is a column of any type.
type Column interface{ Spec() Spec }

// Spec is what is known of a column. Only Fields makes ent's types of it: an interface that holds them keeps their methods.
type Spec struct {
	Default, UpdateDefault any   // a value, or a function that makes it
	Validators             []any // functions of the Go type that return an error

	kind                                             field.Type
	goType                                           reflect.Type
	name, comment                                    string
	size                                             int
	words                                            []string
	immutable, optional, nillable, unique, sensitive bool
}

// Of is a column of Go type V, whose default is a D: a V, or a function that makes one.
type Of[V, D any] struct{ spec Spec }

func of[V, D any](name string, kind field.Type) Of[V, D] {
	return Of[V, D]{Spec{name: name, kind: kind, goType: reflect.TypeFor[V]()}}
}

// Spec returns what is known of the column.
func (f Of[V, D]) Spec() Spec { return f.spec }

// String is a text.
func String(name string) Of[string, string] {
	return of[string, string](name, field.TypeString)
}

// Bytes is a byte slice.
func Bytes(name string) Of[[]byte, []byte] {
	return of[[]byte, []byte](name, field.TypeBytes)
}

// Bool is true or false.
func Bool(name string) Of[bool, bool] {
	return of[bool, bool](name, field.TypeBool)
}

// Int is a whole number.
func Int(name string) Of[int, int] {
	return of[int, int](name, field.TypeInt)
}

// Int8 is a whole number.
func Int8(name string) Of[int8, int8] {
	return of[int8, int8](name, field.TypeInt8)
}

// Int64 is a whole number.
func Int64(name string) Of[int64, int64] {
	return of[int64, int64](name, field.TypeInt64)
}

// Float is a float64.
func Float(name string) Of[float64, float64] {
	return of[float64, float64](name, field.TypeFloat64)
}

// Time is a time.Time.
func Time(name string) Of[time.Time, func() time.Time] {
	return of[time.Time, func() time.Time](name, field.TypeTime)
}

// Enum is one of some words: see Values.
func Enum(name string) Of[string, string] {
	return of[string, string](name, field.TypeEnum)
}

// UUID is a uuid.UUID.
func UUID(name string) Of[uuid.UUID, func() uuid.UUID] {
	return of[uuid.UUID, func() uuid.UUID](name, field.TypeUUID)
}

// JSON is a T, stored as JSON. T has no methods.
func JSON[T any](name string) Of[T, func() T] {
	return of[T, func() T](name, field.TypeJSON)
}

// Default is the value of a new row, or a function that makes it.
func (f Of[V, D]) Default(value D) Of[V, D] { f.spec.Default = value; return f }

// UpdateDefault is a function that makes the value of a changed row.
func (f Of[V, D]) UpdateDefault(value func() V) Of[V, D] { f.spec.UpdateDefault = value; return f }

// Values are the words of an Enum.
func (f Of[V, D]) Values(words ...string) Of[V, D] { f.spec.words = words; return f }

// Immutable forbids updates.
func (f Of[V, D]) Immutable() Of[V, D] { f.spec.immutable = true; return f }

// Optional allows NULL.
func (f Of[V, D]) Optional() Of[V, D] { f.spec.optional = true; return f }

// Nillable makes the generated field a pointer, nil for NULL.
func (f Of[V, D]) Nillable() Of[V, D] { f.spec.nillable = true; return f }

// Unique allows a value in one row only.
func (f Of[V, D]) Unique() Of[V, D] { f.spec.unique = true; return f }

// Sensitive hides the value wherever a row is printed.
func (f Of[V, D]) Sensitive() Of[V, D] { f.spec.sensitive = true; return f }

// Comment says what the column holds.
func (f Of[V, D]) Comment(text string) Of[V, D] { f.spec.comment = text; return f }

// NotEmpty refuses the empty String.
func (f Of[V, D]) NotEmpty() Of[V, D] {
	return f.valid(func(v string) error { return refuse(v == "", "value is less than the required length") })
}

// MaxLen refuses a String of more bytes.
func (f Of[V, D]) MaxLen(maximum int) Of[V, D] {
	f.spec.size = maximum
	return f.valid(func(v string) error { return refuse(len(v) > maximum, "value is greater than the required length") })
}

// Positive refuses an Int or Int64 below 1.
func (f Of[V, D]) Positive() Of[V, D] { return f.min(1) }

// NonNegative refuses an Int or Int64 below 0.
func (f Of[V, D]) NonNegative() Of[V, D] { return f.min(0) }

func (f Of[V, D]) min(minimum int) Of[V, D] {
	if f.spec.kind == field.TypeInt64 {
		return f.valid(func(v int64) error { return refuse(v < int64(minimum), "value out of range") })
	}
	return f.valid(func(v int) error { return refuse(v < minimum, "value out of range") })
}

// valid adds a function of V that returns an error. The generated client panics at its start for one of another type.
func (f Of[V, D]) valid(check any) Of[V, D] {
	f.spec.Validators = append(f.spec.Validators, check)
	return f
}

func refuse(is bool, message string) error {
	if is {
		return errors.New(message)
	}
	return nil
}
