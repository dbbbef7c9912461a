package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// commandLine returns the root command with all others. The values of settings are stored unparsed in p.given, because
// resolve parses them together with values from other sources.
func (p *program) commandLine() *cobra.Command {
	root := newCommand("safelight",
		"Image server with a gallery and a GraphQL API. Runs the server if no command is given.", p.serve)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageFunc(p.usage)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&p.configFile, "config", "",
		"Settings `FILE` with name = value lines, named like the flags. Environment: SAFELIGHT_CONFIG.")
	for _, group := range settingsFlags(p.given) {
		root.PersistentFlags().AddFlagSet(group.flags)
	}
	for _, row := range settingsTable {
		if row.Kind.words != nil {
			_ = root.RegisterFlagCompletionFunc(row.Name, oneOf(row.Kind.words)) // it fails only for an unknown flag
		}
	}

	root.AddCommand(
		newCommand("serve", "Run the server. The default command.", p.serve),
		newGroup("user",
			"Manage accounts: create, list, reset password or factors, unlink, deactivate.",
			p.userCreate(), p.userList(), p.userResetPassword(), p.userResetSecondFactor(), p.userUnlink(),
			p.userEmergencyPassword(),
			p.userDeactivate()),
		newGroup("keys", "Manage token signing keys: rotate.",
			p.rotateKeys()),
		newGroup("url", "Sign, encrypt and explain image URLs.", p.urlSign(), p.urlEncrypt(), p.urlExplain()),
		p.process(),
		newCommand("doctor", "Check libraries, fonts, database, storage and keys.", p.doctor),
		p.backup(),
		p.restore(),
		newGroup("migrate", "Manage database migrations: status, up.",
			newCommand("status", "List migrations and whether they are applied.", p.migrateStatus),
			newCommand("up", "Apply pending migrations. serve does this at start.", p.migrateUp)),
		p.moveDatabase(),
		p.moveStorage(),
		p.migrateURLs(),
		p.config(),
		newCommand("schema", "Print the GraphQL schema.", p.printSchema),
		newGroup("docs", "Export the documentation as static pages.", p.docsExport()),
		p.demo(),
		p.health(),
		newCommand("version", "Print the version.", p.printVersion),
	)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// newCommand returns a command without arguments.
func newCommand(name, short string, run func() error) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, RunE: func(*cobra.Command, []string) error { return run() }}
}

// withSite returns a function for RunE that calls do with the site of an existing database, and closes the site.
func (p *program) withSite(do func(at *site, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		at, err := p.openExisting()
		if err != nil {
			return err
		}
		defer at.Close()
		return do(at, args)
	}
}

// newGroup returns a command that requires the name of one of its subcommands.
func newGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{Use: name, Short: short}
	group.AddCommand(commands...)
	return group
}

// checkArguments makes every command require the arguments that its Use line names. A group takes no arguments: it
// fails and lists its commands, whereas cobra would print the help and succeed.
func checkArguments(c *cobra.Command) {
	for _, child := range c.Commands() {
		checkArguments(child)
	}
	if c.Name() == "help" { // its arguments are the names of commands
		return
	}
	c.Args = takesArguments
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error {
			return usageError(c, "expected one of the commands %s", strings.Join(commandNames(c), ", "))
		}
	}
}

func takesArguments(c *cobra.Command, args []string) error {
	names := strings.Fields(c.Use)[1:]
	switch {
	case len(args) < len(names):
		return usageError(c, "expected %s", strings.Join(names[len(args):], " "))
	case len(args) > len(names):
		extra := args[len(names)]
		if strings.TrimSpace(extra) == "" {
			return usageError(c, "unexpected argument %q", extra)
		}
		return usageError(c, "unexpected argument %s%s", extra, suggest(extra, commandNames(c)))
	}
	return nil
}

func commandNames(c *cobra.Command) (names []string) {
	for _, child := range c.Commands() {
		names = append(names, child.Name())
	}
	return names
}

// usageError returns an error that refers to the help of the command.
func usageError(c *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+" (see %s --help)", append(args, c.CommandPath())...)
}

// flagError replaces an error of pflag with one that has a suggestion or a clearer message.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usageError(c, "unknown flag -%s", unknown.GetSpecifiedShortnames())
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		return usageError(c, "unknown flag %s%s", name, suggest(name, flagNames(c)))
	case errors.As(err, &missing):
		return usageError(c, "--%s needs a value", missing.GetSpecifiedName())
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		switch flag.Value.Type() {
		case "int":
			return usageError(c, "--%s: %q is not a whole number", flag.Name, invalid.GetValue())
		case "bool":
			return usageError(c, "--%s: %q is not true or false", flag.Name, invalid.GetValue())
		}
		return usageError(c, "--%s: %w", flag.Name, invalid.Unwrap())
	}
	return err
}

// flagNames returns the flags of a command that its help shows, with their dashes.
func flagNames(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// wordFlag is a flag whose value is one of a list of words.
type wordFlag struct {
	value *string
	words []string
}

// String implements pflag.Value.
func (f *wordFlag) String() string { return *f.value }

// Type implements pflag.Value.
func (f *wordFlag) Type() string { return "word" }

// Set implements pflag.Value.
func (f *wordFlag) Set(text string) error {
	if !slices.Contains(f.words, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(f.words, ", "))
	}
	*f.value = text
	return nil
}

// oneOf completes an argument that is one of the given words.
func oneOf(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// usage writes usage, commands and flags. The root command, serve and config list all settings by group; the other
// commands list only the settings that nearly every command uses.
func (p *program) usage(c *cobra.Command) error {
	out, width := c.OutOrStdout(), p.width()
	line := c.CommandPath()
	if c.HasAvailableSubCommands() {
		line += " <command>"
	}
	fmt.Fprintf(out, "Usage: %s%s [flags]\n", line, strings.TrimPrefix(c.Use, c.Name()))

	if c.HasAvailableSubCommands() {
		fmt.Fprintln(out, "\nCommands:")
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() {
				fmt.Fprintf(out, "  %-*s  %s\n", child.NamePadding(), child.Name(), child.Short)
			}
		}
	}

	general := pflag.NewFlagSet("general", pflag.ContinueOnError)
	general.AddFlagSet(c.LocalNonPersistentFlags())
	general.AddFlag(c.Root().PersistentFlags().Lookup("config"))
	fmt.Fprintf(out, "\nFlags:\n%s", general.FlagUsagesWrapped(width))

	if name := c.Name(); c == c.Root() || name == "serve" || name == "config" {
		for _, group := range settingsFlags(nil) {
			fmt.Fprintf(out, "\n%s:\n%s", group.title, group.flags.FlagUsagesWrapped(width))
		}
		return nil
	}
	common := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	for _, name := range []string{"data", "database", "storage"} {
		common.AddFlag(c.Root().PersistentFlags().Lookup(name))
	}
	_, err := fmt.Fprintf(out, "\nSettings:\n%s\nEvery setting: safelight --help\n", common.FlagUsagesWrapped(width))
	return err
}

// width returns the width of the output in characters: the environment variable COLUMNS, else the width of the
// terminal, else 80.
func (p *program) width() int {
	if columns, err := strconv.Atoi(envValue(p.env, "COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := p.stdout.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// suggest returns ", did you mean X?" for the known word that is most similar to word; empty if none is similar enough.
func suggest(word string, known []string) string {
	best, least := "", min(len(word)/3, 3)
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d <= least {
			best, least = k, d-1
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}
