package field

import (
	"database/sql/driver"
	"reflect"
	"strings"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Fields returns columns as ent generates from them.
func Fields(columns []Column) []ent.Field {
	var fields []ent.Field
	for _, c := range columns {
		fields = append(fields, described{c.Spec()})
	}
	return fields
}

type described struct{ spec Spec }

// Descriptor is for ent.
func (f described) Descriptor() *field.Descriptor {
	s := f.spec
	d := &field.Descriptor{Name: s.name, Info: info(s.kind, s.goType), Size: s.size, Default: s.Default, UpdateDefault: s.UpdateDefault, Validators: s.Validators,
		Immutable: s.immutable, Optional: s.optional, Nillable: s.nillable, Unique: s.unique, Sensitive: s.sensitive, Comment: s.comment}
	for _, word := range s.words {
		d.Enums = append(d.Enums, struct{ N, V string }{word, word})
	}
	return d
}

// method is the parameters and results of a method, as ent describes them.
type method = struct{ In, Out []*field.RType }

// info returns what ent wants to know of a column's Go type.
func info(kind field.Type, goType reflect.Type) *field.TypeInfo {
	switch kind {
	case field.TypeJSON:
		return detailed(kind, goType, map[string]method{})
	case field.TypeUUID:
		failure := typeOf(reflect.TypeFor[error]())
		return detailed(kind, goType, map[string]method{ // those that ent asks for
			"Scan":   {In: []*field.RType{typeOf(reflect.TypeFor[any]())}, Out: []*field.RType{failure}},
			"Value":  {In: []*field.RType{}, Out: []*field.RType{typeOf(reflect.TypeFor[driver.Value]()), failure}},
			"String": {In: []*field.RType{}, Out: []*field.RType{typeOf(reflect.TypeFor[string]())}},
		})
	case field.TypeTime:
		return &field.TypeInfo{Type: kind, PkgPath: "time"}
	}
	return &field.TypeInfo{Type: kind, Nillable: kind == field.TypeBytes}
}

func detailed(kind field.Type, goType reflect.Type, methods map[string]method) *field.TypeInfo {
	typ := typeOf(goType)
	typ.Methods = methods
	qualifier, _, qualified := strings.Cut(typ.Ident, ".")
	if !qualified {
		qualifier = ""
	}
	nillable := typ.Kind == reflect.Slice || typ.Kind == reflect.Map
	return &field.TypeInfo{Type: kind, Ident: typ.Ident, PkgPath: typ.PkgPath, PkgName: qualifier, Nillable: nillable, RType: typ}
}

func typeOf(t reflect.Type) *field.RType {
	return &field.RType{Name: t.Name(), Ident: t.String(), Kind: t.Kind(), PkgPath: t.PkgPath()}
}
