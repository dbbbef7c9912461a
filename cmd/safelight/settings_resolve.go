package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/safelight/safelight/cmd/safelight/suggest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// place is a source of values, in order of precedence.
type place int

const (
	placeFlag place = iota
	placeEnv
	placeFile
	placeDefault
)

// origin describes the source of a value, so that the operator finds it.
type origin struct {
	place place
	where string // "flag --listen", "environment SAFELIGHT_LISTEN", "safelight.conf line 3", "default"
}

// given is a value that the operator wrote.
type given struct {
	text   string
	origin origin
}

// sources are the unparsed values by place and name; the name may end in fileSuffix.
type sources map[place]map[string]given

// resolve finds the effective value of every setting: flag, environment, file, default. The error names every unknown key
// and every malformed value, with its source and what was expected. configFile may be empty.
func resolve(flags map[string]string, env []string, configFile string) (*Settings, error) {
	var faults []error
	all := sources{placeFlag: {}, placeFile: {}}
	for name, text := range flags {
		all[placeFlag][name] = given{text, origin{placeFlag, "flag --" + name}}
	}
	var err error
	if all[placeEnv], err = readEnv(env); err != nil {
		faults = append(faults, err)
	}
	if configFile != "" {
		if all[placeFile], err = readConfigFile(configFile); err != nil {
			faults = append(faults, err)
		}
	}
	s := &Settings{Limits: imaging.DefaultLimits(), origins: map[string]origin{}}
	for _, row := range settingsTable {
		if err := all.apply(row, s); err != nil {
			faults = append(faults, err)
		}
	}
	s.Limits.Linear = s.Limits.Linear || s.Speed == imaging.Best
	if s.IsSet("signer-type") || s.IsSet("signer-truncate") {
		if s.Signer.Secret == "" {
			faults = append(faults, errors.New("signer-type and signer-truncate need processor-secret beside them; without it the database decides (configureProcessor)"))
		}
	}
	return s, errors.Join(faults...)
}

// apply finds, parses and stores the value of one row.
func (all sources) apply(row Setting, s *Settings) error {
	value, err := all.find(row)
	if err != nil {
		return err
	}
	s.origins[row.Name] = value.origin
	if value.origin.place == placeDefault && value.text == "" {
		return nil
	}
	parsed, err := row.Kind.parse(value.text)
	if err != nil {
		shown := fmt.Sprintf("%q", value.text)
		if row.Secret {
			shown = "its value"
		}
		detail := ""
		if fault.CodeOf(err) == fault.Invalid { // it shows no secret
			detail = ": " + fault.Of(err).Message
		}
		return fmt.Errorf("setting %s: %s, from %s, is not %s%s", row.Name, shown, value.origin.where, row.Kind.Form, detail)
	}
	field := reflect.ValueOf(row.into(s)).Elem()
	field.Set(reflect.ValueOf(parsed).Convert(field.Type()))
	return nil
}

// find returns the value of one row with the highest precedence; the default if it is not set.
func (all sources) find(row Setting) (given, error) {
	for _, p := range []place{placeFlag, placeEnv, placeFile} {
		direct, hasDirect := all[p][row.Name]
		named, hasNamed := all[p][row.Name+fileSuffix]
		switch {
		case hasDirect && hasNamed:
			return given{}, fmt.Errorf("setting %s is given twice, by %s and by %s: keep one", row.Name, direct.origin.where, named.origin.where)
		case hasDirect:
			return direct, nil
		case hasNamed:
			content, err := os.ReadFile(named.text)
			if err != nil {
				return given{}, fmt.Errorf("setting %s: the file that %s names cannot be read: %w", row.Name, named.origin.where, err)
			}
			where := fmt.Sprintf("%s (named by %s)", named.text, named.origin.where)
			return given{strings.TrimRight(string(content), "\r\n"), origin{p, where}}, nil
		}
	}
	return given{row.Default, origin{placeDefault, "default"}}, nil
}

// readEnv reads our variables. An empty variable counts as not set; an unknown one with our prefix is an error.
func readEnv(env []string) (map[string]given, error) {
	names := map[string]string{}
	also := map[string]string{}
	for _, row := range settingsTable {
		names[row.Env()] = row.Name
		if row.Secret {
			names[row.Env()+"_FILE"] = row.Name + fileSuffix
		}
		if row.AlsoEnv != "" {
			also[row.AlsoEnv] = row.Name
		}
	}
	values := map[string]given{}
	var faults []error
	for _, pair := range env {
		key, text, _ := strings.Cut(pair, "=")
		from := given{text, origin{placeEnv, "environment " + key}}
		switch name, known := names[key]; {
		case text == "" || key == envPrefix+"CONFIG" || strings.HasPrefix(key, envTestPrefix):
		case known:
			values[name] = from
		case strings.HasPrefix(key, envPrefix):
			faults = append(faults, fmt.Errorf("environment %s is not a setting%s", key, suggest.Word(key, mapKeys(names))))
		}
	}
	for _, pair := range env {
		key, text, _ := strings.Cut(pair, "=")
		name := also[key]
		if name == "" || text == "" || has(values, name) || has(values, name+fileSuffix) {
			continue
		}
		values[name] = given{text, origin{placeEnv, "environment " + key}}
	}
	return values, errors.Join(faults...)
}

// readConfigFile reads `name = value` lines; # starts a comment line, quotes around a value are optional. Names are those
// of the flags, or of the environment variables.
func readConfigFile(file string) (map[string]given, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("config file: %w", err)
	}
	known := knownNames()
	values := map[string]given{}
	var faults []error
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		where := fmt.Sprintf("%s line %d", file, i+1)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, text, found := strings.Cut(line, "=")
		name := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "_", "-"), "safelight-")
		switch {
		case !found:
			faults = append(faults, fmt.Errorf("%s: expected `name = value`", where))
		case !slices.Contains(known, name):
			faults = append(faults, fmt.Errorf("%s: %s is not a setting%s", where, strings.TrimSpace(key), suggest.Word(name, known)))
		case has(values, name):
			faults = append(faults, fmt.Errorf("%s: %s is set twice in the file", where, name))
		default:
			values[name] = given{unquote(strings.TrimSpace(text)), origin{placeFile, where}}
		}
	}
	return values, errors.Join(faults...)
}

// knownNames returns the names that a file may contain.
func knownNames() []string {
	var names []string
	for _, row := range settingsTable {
		names = append(names, row.Name)
		if row.Secret {
			names = append(names, row.Name+fileSuffix)
		}
	}
	return names
}

func unquote(t string) string {
	if len(t) >= 2 && (t[0] == '"' || t[0] == '\'') && t[len(t)-1] == t[0] {
		return t[1 : len(t)-1]
	}
	return t
}

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

func mapKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
