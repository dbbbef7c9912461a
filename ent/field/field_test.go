package field

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"github.com/google/uuid"
)

// TestColumnsAreEntsFields compares each kind of column with ent's own.
func TestColumnsAreEntsFields(t *testing.T) {
	cases := map[string]struct {
		got  Column
		want ent.Field
	}{
		"text":                     {String("a").NotEmpty().MaxLen(3).Sensitive().Comment("c"), field.String("a").NotEmpty().MaxLen(3).Sensitive().Comment("c")},
		"text with a default":      {String("a").Default("x").Unique(), field.String("a").Default("x").Unique()},
		"bytes":                    {Bytes("a").Optional().Nillable(), field.Bytes("a").Optional().Nillable()},
		"switch":                   {Bool("a").Default(true), field.Bool("a").Default(true)},
		"int":                      {Int("a").Positive().Immutable(), field.Int("a").Positive().Immutable()},
		"int8":                     {Int8("a").Default(3), field.Int8("a").Default(3)},
		"int64":                    {Int64("a").NonNegative(), field.Int64("a").NonNegative()},
		"float":                    {Float("a").Optional(), field.Float("a").Optional()},
		"time":                     {Time("a").Default(time.Now).UpdateDefault(time.Now), field.Time("a").Default(time.Now).UpdateDefault(time.Now)},
		"enum":                     {Enum("a").Values("x", "y").Default("y"), field.Enum("a").Values("x", "y").Default("y")},
		"uuid":                     {UUID("id").Default(uuid.New).Immutable(), field.UUID("id", uuid.UUID{}).Default(uuid.New).Immutable()},
		"uuid that can be missing": {UUID("id").Optional().Nillable(), field.UUID("id", uuid.UUID{}).Optional().Nillable()},
		"list":                     {JSON[[]string]("tags").Optional(), field.Strings("tags").Optional()},
		"object":                   {JSON[map[string]any]("before").Immutable(), field.JSON("before", map[string]any{}).Immutable()},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := *Fields([]Column{c.got})[0].Descriptor(), *c.want.Descriptor()
			if a, b := asked(got.Info), asked(want.Info); !reflect.DeepEqual(a, b) {
				t.Errorf("%v, expected %v", a, b)
			}
			if got.Info.RType != nil {
				for name, m := range got.Info.RType.Methods {
					if !reflect.DeepEqual(m, want.Info.RType.Methods[name]) {
						t.Errorf("%s is %+v, expected %+v", name, m, want.Info.RType.Methods[name])
					}
				}
				got.Info.RType.Methods, want.Info.RType.Methods = nil, nil
			}
			if a, b := text(t, got), text(t, want); a != b {
				t.Errorf("%s, expected %s", a, b)
			}
		})
	}
}

// asked is what the generator asks of a Go type.
func asked(i *field.TypeInfo) []bool {
	return []bool{i.ValueScanner(), i.Valuer(), i.Validator(), i.Stringer(), i.Comparable(), i.RType.IsPtr()}
}

// text returns a description as JSON, with the types of functions, and what validators say to some values.
func text(t *testing.T, d field.Descriptor) string {
	t.Helper()
	about := []any{reflect.TypeOf(d.Default), reflect.TypeOf(d.UpdateDefault)}
	for i, of := range about {
		if of != nil {
			about[i] = of.(reflect.Type).String()
		}
	}
	for _, v := range d.Validators {
		for _, value := range []any{"", "abc", "abcd", -1, 0, 1, int64(-1), int64(0), int64(1)} {
			if check := reflect.ValueOf(v); check.Type().In(0) == reflect.TypeOf(value) {
				err, _ := check.Call([]reflect.Value{reflect.ValueOf(value)})[0].Interface().(error)
				about = append(about, value, err != nil)
			}
		}
	}
	for _, value := range []*any{&d.Default, &d.UpdateDefault} {
		if *value != nil && reflect.TypeOf(*value).Kind() == reflect.Func {
			*value = nil
		}
	}
	d.Validators = nil
	b, err := json.Marshal([]any{d, about})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
