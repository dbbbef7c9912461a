package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// WriteHelp writes usage, arguments, flags by group and commands of c, in lines of at most width characters. Flags of the commands above c
// are left out if shows is false for them; nil shows all.
func (c *Command) WriteHelp(w io.Writer, width int, shows func(*Flag) bool) error {
	h := &helpText{width: width}
	h.usage(c)
	h.paragraph(c.Help)
	if len(c.Arguments) > 0 {
		var rows [][2]string
		for _, a := range c.Arguments {
			rows = append(rows, [2]string{"<" + a.Name + ">", a.Help})
		}
		h.section("Arguments:", rows)
	}
	h.flags(c, shows)
	if len(c.Commands) > 0 {
		program, _, _ := strings.Cut(c.Path(), " ")
		var rows [][2]string
		for _, child := range c.Commands {
			rows = append(rows, [2]string{strings.TrimPrefix(child.Path(), program+" "), child.Help})
		}
		h.section("Commands:", rows)
		if c.Parent == nil {
			fmt.Fprintf(h, "\nRun \"%s <command> --help\" for more information on a command.\n", c.Name)
		}
	}
	_, err := w.Write(h.Bytes())
	return err
}

// helpText is a help that grows.
type helpText struct {
	bytes.Buffer
	width int
}

func (h *helpText) usage(c *Command) {
	usage := "Usage: " + c.Path()
	if len(c.Commands) > 0 {
		usage += " <command>"
	}
	if len(c.Arguments) > 0 {
		usage += " " + placeholders(c.Arguments)
	}
	fmt.Fprintln(h, usage+" [flags]")
}

func (h *helpText) paragraph(text string) {
	fmt.Fprintln(h)
	for _, line := range wrap(text, h.width) {
		fmt.Fprintln(h, line)
	}
}

// flags writes the flags of the commands above c and its own, by group: those without one first.
func (h *helpText) flags(c *Command, shows func(*Flag) bool) {
	groups, rows := []string{""}, map[string][][2]string{}
	var line []*Command
	for at := c; at != nil; at = at.Parent {
		line = append([]*Command{at}, line...)
	}
	for _, at := range line {
		if at != line[0] && len(at.Flags) > 0 {
			rows[""] = append(rows[""], [2]string{})
		}
		for _, flag := range at.Flags {
			if flag.Hidden || at != c && shows != nil && !shows(flag) {
				continue
			}
			if _, is := rows[flag.Group]; !is && flag.Group != "" {
				groups = append(groups, flag.Group)
			}
			rows[flag.Group] = append(rows[flag.Group], [2]string{flag.summary(), flag.Help})
		}
	}
	for _, group := range groups {
		title := group
		if group == "" {
			title = "Flags:"
		}
		h.section(title, rows[group])
	}
}

// summary returns the flag as the help shows it. Those without a group are beside -h, whose room they leave.
func (f *Flag) summary() string {
	text := "--" + f.Name
	switch {
	case f.Name == "help" && f.Set == nil:
		text = "-h, " + text
	case f.Group == "":
		text = "    " + text
	}
	if !f.Switch {
		text += "=" + f.Placeholder
	}
	return text
}

// section writes rows of two columns under a title. A text too long for the first column has a line of its own.
func (h *helpText) section(title string, rows [][2]string) {
	fmt.Fprintf(h, "\n%s\n", title)
	widest, left := max(375*(h.width-2)/1000, 30), 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n < widest {
			left = max(left, n)
		}
	}
	for _, row := range rows {
		first := row[0]
		if utf8.RuneCountInString(first) > left {
			fmt.Fprintln(h, "  "+first)
			first = ""
		}
		for _, line := range wrap(row[1], h.width-left-6) {
			fmt.Fprintln(h, strings.TrimRight(fmt.Sprintf("  %-*s    %s", left, first, line), " "))
			first = ""
		}
	}
}

// wrap returns the lines of text with at most width characters each, unless a word is longer; at least one line.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}

// Width returns the width of the terminal that w is, in characters; 80 for anything else. columns, the value of the variable COLUMNS,
// counts for more.
func Width(w io.Writer, columns string) int {
	var width int
	if _, err := fmt.Sscanf(columns, "%d", &width); err == nil && width > 0 {
		return width
	}
	if file, is := w.(*os.File); is {
		if size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			return int(size.Col)
		}
	}
	return 80
}
