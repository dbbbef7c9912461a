// Package cli reads a command line into a struct, whose tags describe commands, arguments and flags, and prints the help.
//
// It never asks for a method by its name: a program that does so keeps every exported method of every type
// (docs/decisions/0021).
package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Command is the program or one of its commands.
type Command struct {
	Name, Help string
	Arguments  []*Argument
	Flags      []*Flag
	Commands   []*Command
	Parent     *Command // nil for the program
	Target     any      // a pointer to the struct that Parse fills in

	fallback *Command // runs if none is named
}

// Argument is a value without a name. All are required, in their order.
type Argument struct {
	Name, Help string
	set        func(text string) error
}

// Flag is --name=value or --name value; of a switch, also --name alone.
type Flag struct {
	Name, Help  string
	Placeholder string // what the help shows for the value
	Group       string // heading in the help; empty for the first one
	Hidden      bool   // from help and completion
	Switch      bool   // true without a value
	Set         func(text string) error
}

// New returns the program of a pointer to a struct. Of its fields, those with the tag cmd are commands (structs of the same kind; with
// default, the one that runs if none is named), those with arg are arguments, and the others are flags: string, int or bool. Embedded structs
// count as part of the struct. The tags help, name, placeholder, default and enum (words with commas between) say more. more are
// further flags of the program. New panics for another kind of field.
func New(name, help string, target any, more []*Flag) *Command {
	c := &Command{Name: name, Help: help, Target: target}
	c.Flags = []*Flag{{Name: "help", Help: "Show this help.", Switch: true}}
	c.add(reflect.ValueOf(target).Elem())
	c.Flags = append(c.Flags, more...)
	return c
}

func (c *Command) add(target reflect.Value) {
	for i := range target.NumField() {
		field, value := target.Type().Field(i), target.Field(i)
		name, help := field.Tag.Get("name"), field.Tag.Get("help")
		if name == "" {
			name = kebab(field.Name)
		}
		_, isCommand := field.Tag.Lookup("cmd")
		_, isArgument := field.Tag.Lookup("arg")
		switch {
		case field.Anonymous:
			c.add(value)
		case isCommand:
			child := &Command{Name: name, Help: help, Parent: c, Target: value.Addr().Interface()}
			child.add(value)
			c.Commands = append(c.Commands, child)
			if _, is := field.Tag.Lookup("default"); is {
				c.fallback = child
			}
		case isArgument:
			c.Arguments = append(c.Arguments, &Argument{Name: name, Help: help, set: setter(value, field.Tag)})
		default:
			c.Flags = append(c.Flags, flagOf(name, value, field.Tag))
		}
	}
}

func flagOf(name string, value reflect.Value, tag reflect.StructTag) *Flag {
	f := &Flag{Name: name, Help: tag.Get("help"), Placeholder: tag.Get("placeholder"), Switch: value.Kind() == reflect.Bool, Set: setter(value, tag)}
	if normal, is := tag.Lookup("default"); is {
		if err := f.Set(normal); err != nil {
			panic(err)
		}
		if f.Placeholder == "" {
			f.Placeholder = normal
		}
	}
	if f.Placeholder == "" {
		f.Placeholder = strings.ToUpper(name)
	}
	return f
}

// setter returns a function that sets value, and whose error says what is expected.
func setter(value reflect.Value, tag reflect.StructTag) func(string) error {
	var words []string
	if enum := tag.Get("enum"); enum != "" {
		words = strings.Split(enum, ",")
	}
	switch value.Kind() {
	case reflect.String:
		return func(text string) error {
			if words != nil && !slices.Contains(words, text) {
				return fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
			}
			value.SetString(text)
			return nil
		}
	case reflect.Int:
		return func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%q is not a whole number", text)
			}
			value.SetInt(int64(n))
			return nil
		}
	case reflect.Bool:
		return func(text string) error {
			switch text {
			case "true", "1", "yes":
				value.SetBool(true)
			case "false", "0", "no":
				value.SetBool(false)
			default:
				return fmt.Errorf("%q is not true or false", text)
			}
			return nil
		}
	}
	panic("cli: a field of kind " + value.Kind().String())
}

// kebab returns ResetPassword as reset-password.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Path returns the names from the program to c.
func (c *Command) Path() string {
	if c.Parent == nil {
		return c.Name
	}
	return c.Parent.Path() + " " + c.Name
}
