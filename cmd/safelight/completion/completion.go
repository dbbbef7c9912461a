// Package completion writes completion scripts for shells from the model of the command line.
package completion

import (
	"fmt"
	"strings"

	"github.com/safelight/safelight/cmd/safelight/cli"
)

// Script returns the script of a shell: bash, zsh or fish; empty for another.
func Script(shell string, root *cli.Command) string {
	switch shell {
	case "bash":
		return bashCompletion(root)
	case "zsh":
		return "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(root)
	case "fish":
		return fishCompletion(root)
	}
	return ""
}

// bashCompletion completes command words and flags; zsh runs it through bashcompinit.
func bashCompletion(root *cli.Command) string {
	var cases strings.Builder
	for _, command := range root.Commands {
		words := append(childNames(command), flagNames(command)...)
		if len(words) > 0 {
			fmt.Fprintf(&cases, "    %s) words=%q ;;\n", command.Name, strings.Join(words, " "))
		}
	}
	return fmt.Sprintf(`_safelight() {
  local current="${COMP_WORDS[COMP_CWORD]}" words="" word
  local commands=%q flags=%q
  words="$commands"
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
%s    esac
  done
  case "$current" in -*) words="$words $flags" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _safelight safelight
`, strings.Join(childNames(root), " "), strings.Join(flagNames(root), " "), cases.String())
}

// fishCompletion completes commands, their sub-commands and every flag with its help.
func fishCompletion(root *cli.Command) string {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	for _, flag := range root.Flags {
		if !flag.Hidden {
			fmt.Fprintf(&b, "complete -c safelight -l %s -d %s\n", flag.Name, quote(flag.Help))
		}
	}
	for _, command := range root.Commands {
		fmt.Fprintf(&b, "complete -c safelight -f -n __fish_use_subcommand -a %s -d %s\n", command.Name, quote(command.Help))
		for _, sub := range command.Commands {
			fmt.Fprintf(&b, "complete -c safelight -f -n '__fish_seen_subcommand_from %s' -a %s -d %s\n", command.Name, sub.Name, quote(sub.Help))
		}
		for _, flag := range command.Flags {
			fmt.Fprintf(&b, "complete -c safelight -n '__fish_seen_subcommand_from %s' -l %s -d %s\n", command.Name, flag.Name, quote(flag.Help))
		}
	}
	return b.String()
}

func childNames(n *cli.Command) []string {
	var names []string
	for _, c := range n.Commands {
		names = append(names, c.Name)
	}
	return names
}

func flagNames(n *cli.Command) []string {
	var names []string
	for _, f := range n.Flags {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	}
	return names
}
