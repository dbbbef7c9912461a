package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// flagText is a settings flag of the command line; resolve parses it together with the other sources.
type flagText struct {
	Given bool
	Text  string
}

// Decode takes the next argument.
func (f *flagText) Decode(c *kong.DecodeContext) error {
	f.Given = true
	return c.Scan.PopValueInto("value", &f.Text)
}

// flagSwitch is a flagText that may omit its value.
type flagSwitch struct{ flagText }

// IsBool tells kong that the value is optional.
func (f *flagSwitch) IsBool() bool { return true }

// Decode takes the value after =; true without a value.
func (f *flagSwitch) Decode(c *kong.DecodeContext) error {
	f.Given, f.Text = true, "true"
	if c.Scan.Peek().Type == kong.FlagValueToken {
		f.Text = fmt.Sprint(c.Scan.Pop().Value)
	}
	return nil
}

// settingsFlags makes a pointer to a struct with one field for each flag of the table, for
// kong to embed.
func settingsFlags() reflect.Value {
	var fields []reflect.StructField
	add := func(typ reflect.Type, name, help, placeholder, group string, hidden bool) {
		tag := fmt.Sprintf("name:%q help:%q placeholder:%q group:%q", name, help, placeholder, group)
		if hidden {
			tag += ` hidden:""`
		}
		fields = append(fields, reflect.StructField{
			Name: "F" + strings.ReplaceAll(name, "-", "_"), Type: typ, Tag: reflect.StructTag(tag)})
	}
	for _, row := range settingsTable {
		typ := reflect.TypeFor[flagText]()
		if row.Kind.isBool {
			typ = reflect.TypeFor[flagSwitch]()
		}
		help := fmt.Sprintf("%s Default: %s. Environment: %s.", row.Help, row.DefaultText(), row.Env())
		add(typ, row.Name, strings.ReplaceAll(help, "${", "$${"), row.Kind.Placeholder, row.Group, false)
		if row.Secret {
			add(reflect.TypeFor[flagText](), row.Name+fileSuffix, "File that holds "+row.Name+".", "FILE", row.Group, true)
		}
	}
	return reflect.New(reflect.StructOf(fields))
}

// givenFlags returns the flags of the command line by name.
func givenFlags(flags reflect.Value) map[string]string {
	values := map[string]string{}
	for i := range flags.Elem().NumField() {
		name := flags.Elem().Type().Field(i).Tag.Get("name")
		var text flagText
		switch f := flags.Elem().Field(i).Interface().(type) {
		case flagText:
			text = f
		case flagSwitch:
			text = f.flagText
		}
		if text.Given {
			values[name] = text.Text
		}
	}
	return values
}
