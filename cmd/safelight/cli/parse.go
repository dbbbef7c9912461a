package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/safelight/safelight/cmd/safelight/suggest"
)

// ErrHelp is the error of a command line that asks for help.
var ErrHelp = errors.New("help")

// Parse fills in the targets and returns the command that was named. If the arguments ask for help, the error is ErrHelp, and the
// command is the one whose help they ask for. Any other error says what is wrong, for the one who typed it.
func (c *Command) Parse(args []string) (*Command, error) {
	p := parser{at: c, rest: args}
	for len(p.rest) > 0 {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if p.help {
		return p.at, ErrHelp
	}
	if p.at.fallback != nil {
		p.at = p.at.fallback
	}
	return p.at, p.at.missing(p.arguments)
}

// parser is a command line that is partly read.
type parser struct {
	at        *Command // the last command that was named
	arguments int      // of it that are set
	rest      []string
	help      bool
	plain     bool // after --
}

func (p *parser) next() error {
	word := p.rest[0]
	p.rest = p.rest[1:]
	switch {
	case p.plain || word == "-" || !strings.HasPrefix(word, "-"):
		return p.word(word)
	case word == "--":
		p.plain = true
		return nil
	case word == "-h":
		p.help = true
		return nil
	}
	return p.flag(word)
}

// word takes a command or an argument.
func (p *parser) word(word string) error {
	if p.arguments < len(p.at.Arguments) {
		argument := p.at.Arguments[p.arguments]
		p.arguments++
		if err := argument.set(word); err != nil {
			return fmt.Errorf("<%s>: %w", argument.Name, err)
		}
		return nil
	}
	var names []string
	for _, child := range p.at.Commands {
		if child.Name == word {
			p.at, p.arguments = child, 0
			return nil
		}
		names = append(names, child.Name)
	}
	return fmt.Errorf("unexpected argument %s%s", shown(word), suggest.Word(word, names))
}

// flag takes a flag of the commands so far, and its value.
func (p *parser) flag(word string) error {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	flag, names := p.at.find(name)
	if flag == nil || !strings.HasPrefix(word, "--") {
		known, _, _ := strings.Cut(word, "=")
		return fmt.Errorf("unknown flag %s%s", known, suggest.Word(known, names))
	}
	switch {
	case flag.Name == "help" && flag.Set == nil:
		p.help = true
		return nil
	case hasValue:
	case flag.Switch:
		value = "true"
	case len(p.rest) == 0:
		return fmt.Errorf("--%s needs a value", name)
	case p.rest[0] != "-" && strings.HasPrefix(p.rest[0], "-"):
		return fmt.Errorf("--%s needs a value; write --%s=VALUE if it begins with -", name, name) // which may be a secret
	default:
		value, p.rest = p.rest[0], p.rest[1:]
	}
	if err := flag.Set(value); err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return nil
}

// find returns the flag of the command or of one above it, or nil and their names.
func (c *Command) find(name string) (found *Flag, names []string) {
	for ; c != nil; c = c.Parent {
		for _, flag := range c.Flags {
			if flag.Name == name {
				return flag, nil
			}
			if !flag.Hidden {
				names = append(names, "--"+flag.Name)
			}
		}
	}
	return nil, names
}

// missing is the error of a command line that ends with a number of arguments of c.
func (c *Command) missing(given int) error {
	if given < len(c.Arguments) {
		return fmt.Errorf("expected %s", placeholders(c.Arguments[given:]))
	}
	if len(c.Commands) == 0 {
		return nil
	}
	var names []string
	for _, child := range c.Commands {
		names = append(names, child.Name)
	}
	if len(names) == 1 {
		return fmt.Errorf("expected the command %s", names[0])
	}
	return fmt.Errorf("expected one of the commands %s", strings.Join(names, ", "))
}

func placeholders(arguments []*Argument) string {
	var names []string
	for _, a := range arguments {
		names = append(names, "<"+a.Name+">")
	}
	return strings.Join(names, " ")
}

// shown returns word as a message shows it: in quotes if it would not be seen otherwise.
func shown(word string) string {
	if strings.TrimSpace(word) == "" {
		return fmt.Sprintf("%q", word)
	}
	return word
}
