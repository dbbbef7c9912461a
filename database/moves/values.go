package moves

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// document is the content of a JSON column, encoded as ent encodes it.
type document string

// convert normalizes a value of a column to a format that both drivers accept: nil, int64, float64, bool,
// string, []byte, document, or a time.Time in UTC with the precision of PostgreSQL, a microsecond.
func convert(c column, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch c.Kind {
	case boolean:
		return asBool(v)
	case moment:
		if t, ok := v.(time.Time); ok && !t.IsZero() {
			return t.UTC().Round(time.Microsecond), nil
		}
	case decimal:
		switch v := v.(type) {
		case float64:
			return v, nil
		case int64:
			return float64(v), nil
		}
	case blob:
		return asBytes(v)
	case documents:
		b, err := asBytes(v)
		if err != nil {
			return nil, err
		}
		return canonical(b)
	case text:
		return asText(v)
	case number:
		if n, ok := v.(int64); ok {
			return n, nil
		}
	}
	return nil, fmt.Errorf("%v (%T) is not stored as %s", v, v, c.Kind)
}

func asBool(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	}
	return nil, fmt.Errorf("%v is neither true nor false", v)
}

func asBytes(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case string:
		return []byte(v), nil
	}
	return nil, fmt.Errorf("%T, expected bytes", v)
}

// asText converts a value to a text. It returns an error if PostgreSQL cannot store the text.
func asText(v any) (any, error) {
	b, err := asBytes(v)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return nil, fmt.Errorf(
			"the text %q is not UTF-8 or holds U+0000, which PostgreSQL does not store: correct it",
			b,
		)
	}
	return string(b), nil
}

// canonical normalizes JSON, because PostgreSQL changes spaces, the order of keys and the format of numbers.
func canonical(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if d.More() {
		return nil, errors.New("it holds more than one JSON value")
	}
	if v, err = plain(v); err != nil {
		return nil, err
	}
	out, err := json.Marshal(v)
	return document(out), err
}

// plain normalizes numbers. It returns an error for numbers that cannot be represented exactly, and for texts
// that PostgreSQL cannot store.
func plain(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return number64(v)
	case string:
		return v, storable(v)
	case []any:
		for i := range v {
			if v[i], err = plain(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if err := storable(k); err != nil {
				return nil, err
			}
			if v[k], err = plain(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// number64 returns an int64 or a float64. It returns an error for a number that neither can represent; the
// program does not write such numbers.
func number64(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	f, err := n.Float64()
	want, ok := new(big.Rat).SetString(string(n))
	got, same := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if err != nil || !ok || !same || want.Cmp(got) != 0 {
		return nil, fmt.Errorf("its JSON holds the number %s, which no float64 holds: correct it", n)
	}
	return f + 0, nil // converts -0 to 0
}

func storable(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("its JSON holds the character U+0000, which PostgreSQL does not store: correct it")
	}
	return nil
}

// appendValue appends an unambiguous encoding of a value of convert.
func appendValue(b []byte, v any) []byte {
	put := func(kind byte, content string) []byte {
		b = append(b, kind)
		b = binary.BigEndian.AppendUint64(b, uint64(len(content)))
		return append(b, content...)
	}
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case int64:
		return binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(b, 'd'), math.Float64bits(v))
	case time.Time:
		return binary.BigEndian.AppendUint64(append(b, 'm'), uint64(v.UnixMicro()))
	case document:
		return put('j', string(v))
	case []byte:
		return put('b', string(v))
	case string:
		return put('s', v)
	}
	panic(fmt.Sprintf("a value of type %T", v)) // convert returns no other types
}
