package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// flagGroup holds the flags for the settings of one group.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// settingsFlags returns one flag for each setting, by group. The flags store their unparsed values in given, by name,
// because resolve parses them together with values from other sources.
func settingsFlags(given map[string]string) (groups []flagGroup) {
	for _, row := range settingsTable {
		if len(groups) == 0 || groups[len(groups)-1].title != row.Group {
			flags := pflag.NewFlagSet(row.Group, pflag.ContinueOnError)
			flags.SortFlags = false
			groups = append(groups, flagGroup{row.Group, flags})
		}
		flags := groups[len(groups)-1].flags

		help := strings.ReplaceAll(row.Help, "`", "") // pflag takes a word in backquotes as the name of the value
		help = fmt.Sprintf("%s Default: %s. Environment: %s.", help, row.DefaultText(), row.Env())
		value := &settingFlag{name: row.Name, placeholder: row.Kind.Placeholder, given: given}
		flag := flags.VarPF(value, row.Name, "", help)
		if row.Kind.isBool {
			value.placeholder, flag.NoOptDefVal = "bool", "true"
		}
		if row.Secret {
			file := &settingFlag{name: row.Name + fileSuffix, placeholder: "FILE", given: given}
			flags.VarPF(file, file.name, "", "File that holds "+row.Name+".").Hidden = true
		}
	}
	return groups
}

// settingFlag is the flag of a setting. It accepts any text.
type settingFlag struct {
	name, placeholder string
	given             map[string]string
}

// String implements pflag.Value.
func (f *settingFlag) String() string { return "" }

// Type implements pflag.Value.
func (f *settingFlag) Type() string { return f.placeholder }

// Set implements pflag.Value. It rejects the name of a flag: in "--token-secret --strict" the value is missing.
func (f *settingFlag) Set(text string) error {
	if name, isFlag := strings.CutPrefix(text, "--"); isFlag {
		name, _, _ = strings.Cut(name, "=")
		if _, known := findSetting(strings.TrimSuffix(name, fileSuffix)); known {
			return fmt.Errorf("a value is missing before --%s", name)
		}
	}
	f.given[f.name] = text
	return nil
}
