package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// place is a kind of source of values, in order of precedence.
type place int

const (
	placeFlag place = iota
	placeEnv
	placeFile
	placeDefault
)

// origin is the source of a value, for messages to the operator.
type origin struct {
	place place
	where string // for example "flag --listen", "environment SAFELIGHT_LISTEN", "safelight.conf line 3" or "default"
}

// given is a value as the operator wrote it.
type given struct {
	text   string
	origin origin
}

// sources are the unparsed values by place and name; the name may end in fileSuffix.
type sources map[place]map[string]given

// resolve finds the effective value of every setting. The precedence is flag, environment, file, default. The error
// names every unknown key and every malformed value with its source and the expected form. configFile may be empty.
func resolve(flags map[string]string, env []string, configFile string) (*Settings, error) {
	var faults []error
	all := sources{placeFlag: {}, placeFile: {}}
	for name, text := range flags {
		all[placeFlag][name] = given{text, origin{placeFlag, "flag --" + name}}
	}
	var warnings []string
	all[placeEnv], warnings = readEnv(env)
	var err error
	if configFile != "" {
		if all[placeFile], err = readConfigFile(configFile); err != nil {
			faults = append(faults, err)
		}
	}
	s := &Settings{Limits: imaging.DefaultLimits(), origins: map[string]origin{}, texts: map[string]string{},
		warnings: warnings}
	for _, row := range settingsTable {
		if err := all.apply(row, s); err != nil {
			faults = append(faults, err)
		}
	}
	if !s.IsSet("scaling") {
		s.Limits.Linear = s.Speed == imaging.Best
	}
	if s.IsSet("signer-type") || s.IsSet("signer-truncate") {
		if s.Signer.Secret == "" {
			faults = append(faults, errors.New("signer-type and signer-truncate require processor-secret; without it, "+
				"they are in the database (configureProcessor)"))
		}
	}
	faults = append(faults, checkPrevious(s)...)
	return s, errors.Join(faults...)
}

// checkPrevious returns an error for each previous secret that is set without the current one, or is equal to it. In
// these cases, the operator has confused the two or has not changed the secret.
func checkPrevious(s *Settings) (faults []error) {
	for _, p := range []struct{ name, current, previous, otherwise string }{
		{"processor-secret", s.Signer.Secret, s.PreviousSecret, "the database has the secrets (configureProcessor " +
			"keeps the previous one for 24 hours)"},
		{"token-secret", s.Keys.Secret, s.Keys.Previous, "keys.json has the keys (safelight keys rotate keeps " +
			"the previous one)"},
	} {
		name := p.name + "-previous"
		switch {
		case p.previous == "":
		case !s.IsSet(p.name):
			faults = append(faults, fmt.Errorf("setting %s, from %s, requires %s; without that, %s", name,
				s.origins[name].where, p.name, p.otherwise))
		case p.previous == p.current:
			faults = append(faults, fmt.Errorf("setting %s, from %s, is equal to %s, from %s: set it to the "+
				"secret before the rotation, or remove it",
				name, s.origins[name].where, p.name, s.origins[p.name].where))
		}
	}
	return faults
}

// apply finds, parses and stores the value of one setting.
func (all sources) apply(row Setting, s *Settings) error {
	value, err := all.find(row)
	if err != nil {
		return err
	}
	s.origins[row.Name], s.texts[row.Name] = value.origin, value.text
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
		if fault.CodeOf(err) == fault.Invalid { // its message does not contain secrets
			detail = ": " + fault.Of(err).Message
		}
		return fmt.Errorf("setting %s: %s, from %s, is not %s%s", row.Name, shown, value.origin.where, row.Kind.Form,
			detail)
	}
	field := reflect.ValueOf(row.field(s)).Elem()
	field.Set(reflect.ValueOf(parsed).Convert(field.Type()))
	return nil
}

// find returns the value of a setting from the source with the highest precedence; the default if it is not set.
func (all sources) find(row Setting) (given, error) {
	for _, p := range []place{placeFlag, placeEnv, placeFile} {
		direct, hasDirect := all[p][row.Name]
		named, hasNamed := all[p][row.Name+fileSuffix]
		switch {
		case hasDirect && hasNamed:
			return given{}, fmt.Errorf("setting %s is given twice, by %s and by %s: keep one", row.Name,
				direct.origin.where, named.origin.where)
		case hasDirect:
			return direct, nil
		case hasNamed:
			content, err := os.ReadFile(named.text)
			if err != nil {
				return given{}, fmt.Errorf("setting %s: the file that %s names cannot be read: %w", row.Name,
					named.origin.where, err)
			}
			where := fmt.Sprintf("%s (named by %s)", named.text, named.origin.where)
			return given{strings.TrimRight(string(content), "\r\n"), origin{p, where}}, nil
		}
	}
	return given{row.Default, origin{placeDefault, "default"}}, nil
}

// clientVariables are variables with which the documentation and clients address a server.
var clientVariables = []string{"SAFELIGHT_URL", "SAFELIGHT_TOKEN", "SAFELIGHT_USERNAME", "SAFELIGHT_PASSWORD",
	"SAFELIGHT_SCHEMA"}

// aliases maps names that other programs use, without the prefix, to the setting that the operator probably means.
var aliases = map[string]string{
	"PORT": "listen", "HOST": "listen", "ADDR": "listen", "ADDRESS": "listen", "BIND": "listen",
	"DATABASE_URL": "database", "DB": "database", "DB_URL": "database", "POSTGRES_URL": "database", "DSN": "database",
	"SECRET": "processor-secret", "KEY": "processor-secret", "SIGNING_KEY": "processor-secret",
	"SECRET_KEY": "token-secret", "JWT_SECRET": "token-secret",
	"DATA_DIR": "data", "DIR": "data", "BUCKET": "storage", "S3_BUCKET": "storage",
	"ADMIN_USER": "admin-username", "CORS": "cors-origins", "LOGLEVEL": "log-level", "DEBUG": "log-level",
}

// unknownVariable returns the warning about a variable that has the prefix but is not a setting.
func unknownVariable(key string, names []string) string {
	hint := ""
	if name, ok := aliases[strings.TrimPrefix(key, envPrefix)]; ok {
		row, _ := findSetting(name)
		hint = ", did you mean " + row.Env() + "?"
	} else if name := strings.TrimPrefix(key, envPrefix); suggest(name, names) != "" {
		hint = strings.Replace(suggest(name, names), "did you mean ", "did you mean "+envPrefix, 1)
	}
	return "environment " + key + " is not a setting and is ignored" + hint
}

// readEnv returns the values of the variables of settings, and warnings about unknown variables with the prefix. An
// empty variable counts as not set.
func readEnv(env []string) (map[string]given, []string) {
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
	var known, unknown []string
	for name := range names {
		known = append(known, strings.TrimPrefix(name, envPrefix))
	}
	slices.Sort(known)
	for _, pair := range env {
		key, text, _ := strings.Cut(pair, "=")
		from := given{text, origin{placeEnv, "environment " + key}}
		switch name, ok := names[key]; {
		case text == "" || key == envPrefix+"CONFIG" || strings.HasPrefix(key, envTestPrefix) ||
			slices.Contains(clientVariables, key):
		case ok:
			values[name] = from
		case strings.HasPrefix(key, envPrefix):
			unknown = append(unknown, unknownVariable(key, known))
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
	return values, unknown
}

// readConfigFile reads `name = value` lines; # starts a comment line, quotes around a value are optional. A value with
// several lines is written between `name = <<END` and a line END, where END can be any word. A name is that of a flag
// or of an environment variable.
func readConfigFile(file string) (map[string]given, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("config file: %w", err)
	}
	known := knownNames()
	values := map[string]given{}
	var faults []error
	lines := strings.Split(string(content), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines[i], "\ufeff"))
		where := fmt.Sprintf("%s line %d", file, i+1)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, text, found := strings.Cut(line, "=")
		name := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "_", "-"), "safelight-")
		text = strings.TrimSpace(text)
		if word, ok := strings.CutPrefix(text, "<<"); ok && word != "" {
			n := slices.IndexFunc(lines[i+1:], func(l string) bool { return strings.TrimSpace(l) == word })
			if n < 0 {
				faults = append(faults, fmt.Errorf("%s: the value of %s has no end, expected a line %s", where, name,
					word))
				break
			}
			text = strings.Join(lines[i+1:i+1+n], "\n")
			i += n + 1
		} else {
			text = unquote(text)
		}
		switch {
		case !found:
			faults = append(faults, fmt.Errorf("%s: expected `name = value`", where))
		case !slices.Contains(known, name):
			faults = append(faults, fmt.Errorf("%s: %s is not a setting%s", where, strings.TrimSpace(key),
				suggest(name, known)))
		case has(values, name):
			faults = append(faults, fmt.Errorf("%s: %s is set twice in the file", where, name))
		default:
			values[name] = given{text, origin{placeFile, where}}
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

// quote quotes a value so that readConfigFile reads back the same text.
func quote(t string) string {
	if !strings.Contains(t, "\n") {
		if t == "" || unquote(strings.TrimSpace(t)) != t || strings.HasPrefix(t, "<<") {
			return `"` + t + `"`
		}
		return t
	}
	word := "END"
	for strings.Contains(t, word) {
		word += "_"
	}
	return "<<" + word + "\n" + t + "\n" + word
}

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }
