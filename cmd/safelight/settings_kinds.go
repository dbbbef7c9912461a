package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/signing/sealed"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/storage/remote"
)

// Kind is the type of a setting's value. Form describes it in help and errors. parse converts text to the type of the
// field; the text is empty only if the operator has set an empty value.
type Kind struct {
	Form        string
	Placeholder string
	parse       func(text string) (any, error)
	isBool      bool     // the value can be omitted from the flag
	isSize      bool     // an int64 of bytes
	words       []string // all possible values, if there are few
}

const (
	oneMillisecond = time.Millisecond
	oneMinute      = time.Minute
	oneHour        = time.Hour
	oneYear        = 365 * 24 * time.Hour
)

var errForm = errors.New("wrong form") // the expected form is described by the kind's Form

var (
	kindText   = Kind{Form: "text", Placeholder: "TEXT", parse: func(t string) (any, error) { return t, nil }}
	kindFile   = Kind{Form: "a file", Placeholder: "FILE", parse: nonEmpty}
	kindPath   = Kind{Form: "a folder", Placeholder: "FOLDER", parse: nonEmpty}
	kindBool   = Kind{Form: "true or false", Placeholder: "BOOL", isBool: true, parse: parseBool}
	kindSecret = Kind{Form: "text of at least one character", Placeholder: "TEXT", parse: nonEmpty}
	kindKey    = Kind{Form: "text of at least 32 characters", Placeholder: "TEXT", parse: parseKey}

	kindAddress  = Kind{Form: "host:port, such as 127.0.0.1:8000 or :8000", Placeholder: "ADDRESS", parse: parseAddress}
	kindURL      = Kind{Form: "a URL such as https://images.example.com", Placeholder: "URL", parse: parseBaseURL}
	kindDatabase = Kind{Form: "sqlite:///path/to/file.db or postgres://user:password@host/name", Placeholder: "URL",
		parse: parseDatabase}
	kindStorage = Kind{Form: storage.Forms(), Placeholder: "URL", parse: parseStorage}
	kindMounts  = Kind{Form: mounts.Form, Placeholder: "LIST",
		parse: func(t string) (any, error) { return mounts.Parse(t) }}
	kindMountKeys = Kind{Form: mounts.KeysForm, Placeholder: "KEYS",
		parse: func(t string) (any, error) { return mounts.ParseKeys(t) }}
	kindCache = Kind{Form: "off, or a list of memory, file, " + storage.ShortForms(), Placeholder: "LIST",
		parse: parseCache}
	kindSigner         = Kind{Form: "sha1, sha256 or sha512", Placeholder: "NAME", parse: parseSigner}
	kindScaling        = Kind{Form: "gamma or linear", Placeholder: "NAME", parse: parseScaling}
	kindSpeed          = Kind{Form: "best, balanced or fast", Placeholder: "NAME", parse: parseSpeed}
	kindTruncate       = Kind{Form: "0 (off), or an integer from 17 to 88", Placeholder: "N", parse: parseTruncate}
	kindEncryptionKeys = Kind{Form: "ID:KEY separated by commas, with keys of 64 bytes in hex or base64",
		Placeholder: "KEYS", parse: parseEncryptionKeys}
	kindHosts = Kind{Form: "host globs separated by commas, such as *.example.com,cdn.example.org:8443, or * " +
		"for every host", Placeholder: "HOSTS", parse: parseHosts}
	kindOrigins = Kind{Form: "origins separated by commas, such as " +
		"https://app.example.com,http://localhost:3000, or * alone for every origin", Placeholder: "ORIGINS",
		parse: parseOrigins}
	kindEmbedders = Kind{Form: "origins separated by commas, such as https://cms.example.com,http://localhost:3000",
		Placeholder: "ORIGINS", parse: parseEmbedders}
	kindTiles = Kind{Form: "an https URL with {z}, {x} and {y} in its path, such as " +
		"https://tiles.example.com/{z}/{x}/{y}.png",
		Placeholder: "URL", parse: parseTiles}
	kindPrefixes = Kind{Form: "networks separated by commas, such as 10.1.0.0/16,10.2.3.4/32,fd00:1::/64",
		Placeholder: "NETS", parse: parsePrefixes}
	kindFolders = Kind{Form: "folders separated by commas, such as /srv/pictures,/mnt/nas", Placeholder: "FOLDERS",
		parse: parseFolders}
	kindSMTP = Kind{Form: "smtp:// or smtps:// with user, host and port, such as smtp://photos@mail.example.com:587",
		Placeholder: "URL", parse: parseSMTP}
	kindSender = Kind{Form: "an e-mail address, with or without a name, such as Photos <photos@example.com>",
		Placeholder: "ADDRESS", parse: parseSender}
	kindRetention = Kind{Form: "0 (forever), or a duration of at least 1h, such as 720h or 365d", Placeholder: "TIME",
		parse: parseRetention}
	kindMemory = Kind{Form: "a size of at least 64 MiB, such as 2 GiB, or 0 for automatic", Placeholder: "SIZE",
		isSize: true, parse: parseMemory}
)

// kindInt is an integer in the range low to high.
func kindInt(low, high int64) Kind {
	return Kind{Form: fmt.Sprintf("an integer from %d to %d", low, high), Placeholder: "N",
		parse: func(t string) (any, error) {
			n, err := strconv.ParseInt(strings.ReplaceAll(t, "_", ""), 10, 64)
			if err != nil || n < low || n > high {
				return nil, errForm
			}
			return n, nil
		}}
}

// kindBytes is a size in the range low to high, in bytes.
func kindBytes(low, high int64) Kind {
	return Kind{Form: fmt.Sprintf("a size such as 512 KiB, 100 MB or 2 GiB, from %s to %s", formatBytes(low),
		formatBytes(high)),
		Placeholder: "SIZE", isSize: true,
		parse: func(t string) (any, error) {
			n, err := parseBytes(t)
			if err != nil || n < low || n > high {
				return nil, errForm
			}
			return n, nil
		}}
}

// kindDuration is a duration in the range low to high.
func kindDuration(low, high time.Duration) Kind {
	return Kind{Form: fmt.Sprintf("a duration such as 500ms, 20s, 10m, 168h or 7d, from %s to %s",
		formatDuration(low), formatDuration(high)),
		Placeholder: "TIME",
		parse: func(t string) (any, error) {
			d, err := parseDuration(t)
			if err != nil || d < low || d > high {
				return nil, errForm
			}
			return d, nil
		}}
}

// kindWord is one of a list of words.
func kindWord(words ...string) Kind {
	last := len(words) - 1
	return Kind{Form: strings.Join(words[:last], ", ") + " or " + words[last], Placeholder: "WORD", words: words,
		parse: func(t string) (any, error) {
			if t = strings.ToLower(t); !slices.Contains(words, t) {
				return nil, errForm
			}
			return t, nil
		}}
}

func nonEmpty(t string) (any, error) {
	if t == "" {
		return nil, errForm
	}
	return t, nil
}

func parseBool(t string) (any, error) {
	switch strings.ToLower(t) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return nil, errForm
}

func parseKey(t string) (any, error) {
	if len(t) < 32 {
		return nil, errForm
	}
	return t, nil
}

func parseAddress(t string) (any, error) {
	_, port, err := net.SplitHostPort(t)
	if err != nil {
		return nil, errForm
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return nil, errForm
	}
	return t, nil
}

func parseBaseURL(t string) (any, error) {
	u, err := url.Parse(t)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil {
		return nil, errForm
	}
	return strings.TrimRight(t, "/"), nil
}

func parseURLOf(schemes ...string) func(string) (any, error) {
	return func(t string) (any, error) {
		u, err := url.Parse(t)
		if err != nil || !slices.Contains(schemes, u.Scheme) || (u.Host == "" && u.Path == "") {
			return nil, errForm
		}
		return t, nil
	}
}

// parseStorage checks the address of a storage. Its errors explain how to correct a folder that is almost a valid
// address, and which build has the driver.
func parseStorage(t string) (any, error) {
	u, err := url.Parse(t)
	if err != nil || u.Host+u.Path+u.Opaque == "" {
		return nil, errForm
	}
	isFolder := u.Scheme == "file" || u.Scheme == "" && strings.Contains(u.Path, "/")
	if err := storage.CheckAddress(t); err != nil && (isFolder || storage.NeedsTag(u.Scheme)) {
		return nil, err
	} else if err != nil {
		return nil, errForm
	}
	return t, nil
}

// postgresParameters are the parameters of a PostgreSQL address: those of lib/pq, and session settings.
var postgresParameters = []string{"application_name", "binary_parameters", "client_encoding", "connect_timeout",
	"datestyle", "dbname", "fallback_application_name", "geqo", "host", "hostaddr",
	"idle_in_transaction_session_timeout",
	"krbspn", "krbsrvname", "load_balance_hosts", "lock_timeout", "options", "passfile", "password", "port",
	"search_path", "service", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslinline", "sslkey",
	"sslmode", "sslnegotiation", "sslrootcert", "sslsni", "statement_timeout", "target_session_attrs", "timezone",
	"user"}

// parseDatabase checks the address of a database. Its errors do not contain the password.
func parseDatabase(t string) (any, error) {
	scheme, rest, _ := strings.Cut(t, "://")
	name, query, _ := strings.Cut(rest, "?")
	first, _, _ := strings.Cut(query, "=")
	isPostgres := scheme == "postgres" || scheme == "postgresql"
	// A question mark before the @ is part of the user name or the password.
	if isPostgres && (isUnencoded(name) || strings.Contains(first, "@")) {
		return nil, fault.New(fault.Invalid, "in %s://USER:********@..., characters of the user or password that mean "+
			"something in a URL must be percent-encoded: %%40 for @, %%23 for #, %%2F for /, %%3F for ?, %%3A for : "+
			"and %%25 for %%", scheme)
	}
	if _, err := parseURLOf("sqlite", "postgres", "postgresql")(t); err != nil {
		return nil, err
	}
	u, err := url.Parse(t)
	if err != nil {
		return nil, errForm
	}
	if !isPostgres && u.Host != "" {
		relative := u.Host + u.Path
		absolute, err := filepath.Abs(relative)
		if err != nil {
			return nil, errForm
		}
		return nil, fault.New(fault.Invalid, "the database address sqlite://%[1]s has two slashes, expected three and "+
			"an absolute path: sqlite:///%[1]s, or sqlite://%[2]s for a file in the folder where the program is started",
			relative, absolute)
	}
	for parameter := range u.Query() {
		switch {
		case !isPostgres:
			return nil, fault.New(fault.Invalid, "the parameter %q is unknown: an address of SQLite has none",
				parameter)
		case !slices.Contains(postgresParameters, parameter):
			return nil, fault.New(fault.Invalid, "the parameter %q is unknown%s (known: %s)", parameter,
				suggest(parameter, postgresParameters), strings.Join(postgresParameters, ", "))
		}
	}
	return t, nil
}

// isUnencoded reports whether the user name or password contains a character at which some programs end it. The
// address has neither scheme nor parameters.
func isUnencoded(address string) bool {
	user, _, hasUser := cutLast(address, "@")
	if !hasUser {
		return strings.Contains(address, "#") // a # has cut off the rest of the address or of the password
	}
	_, password, _ := strings.Cut(user, ":")
	_, err := url.PathUnescape(user)
	return err != nil || strings.ContainsAny(user, "@#/? ") || strings.Contains(password, ":") ||
		strings.Contains(address, "#")
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

func parseCache(t string) (any, error) {
	if t == "off" {
		return t, nil
	}
	for _, part := range strings.Split(t, ",") {
		part = strings.TrimSpace(part)
		if part == "memory" || part == "file" {
			continue
		}
		if _, err := parseStorage(part); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func parseSigner(t string) (any, error) {
	switch s := imaging.SignerType(strings.ToUpper(t)); s {
	case "SHA1", "SHA256", "SHA512":
		return s, nil
	}
	return nil, errForm
}

func parseScaling(t string) (any, error) {
	linear, ok := imaging.ParseScaling(t)
	if !ok {
		return nil, errForm
	}
	return linear, nil
}

func parseSpeed(t string) (any, error) {
	if s, ok := imaging.ParseSpeed(t); ok {
		return s, nil
	}
	return nil, errForm
}

func parseEncryptionKeys(t string) (any, error) {
	keys, err := sealed.ParseKeys(t)
	if err != nil {
		return nil, errForm
	}
	return keys, nil
}

func parseTruncate(t string) (any, error) {
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || (n != 0 && (n < 17 || n > 88)) {
		return nil, errForm
	}
	return n, nil
}

func parseHosts(t string) (any, error) {
	hosts := []string{}
	for _, h := range strings.Split(t, ",") {
		hosts = append(hosts, strings.ToLower(strings.TrimSpace(h)))
	}
	if _, err := remote.New(remote.Config{Hosts: hosts}); err != nil {
		return nil, errForm
	}
	return hosts, nil
}

// parseOrigins parses origins in the form that browsers send: in lower case, without a path or a final slash.
func parseOrigins(t string) (any, error) {
	if strings.TrimSpace(t) == "*" {
		return []string{"*"}, nil
	}
	origins := []string{}
	for _, text := range strings.Split(t, ",") {
		text = strings.ToLower(strings.TrimSpace(text))
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" ||
			text != u.Scheme+"://"+u.Host || strings.Contains(text, "*") {
			return nil, errForm
		}
		origins = append(origins, strings.TrimSuffix(text, map[string]string{"http": ":80", "https": ":443"}[u.Scheme]))
	}
	return origins, nil
}

// parseEmbedders parses the origins that may embed the application. There is no wildcard, because the embedding page
// learns what the user picks.
func parseEmbedders(t string) (any, error) {
	if strings.ContainsAny(t, "*;'") { // url.Parse accepts ; and ', which would end a source of the policy
		return nil, errForm
	}
	return parseOrigins(t)
}

// tilesURL matches URLs whose origin is safe in the application's Content-Security-Policy: it contains no wildcard and
// no character that ends a source.
var tilesURL = regexp.MustCompile(`^https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?/[^\s"'\\<>#]*$`)

// parseTiles parses the template of the URLs of a map's tiles.
func parseTiles(t string) (any, error) {
	path, _, _ := strings.Cut(t, "?")
	for _, part := range []string{"{z}", "{x}", "{y}"} {
		if strings.Count(path, part) != 1 || !tilesURL.MatchString(t) {
			return nil, errForm
		}
	}
	return t, nil
}

func parsePrefixes(t string) (any, error) {
	prefixes := []netip.Prefix{}
	for _, text := range strings.Split(t, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil || p.Addr().Is4In6() {
			return nil, errForm
		}
		prefixes = append(prefixes, p.Masked())
	}
	return prefixes, nil
}

func parseFolders(t string) (any, error) {
	folders := []string{}
	for _, f := range strings.Split(t, ",") {
		f = strings.TrimSpace(f)
		if !filepath.IsAbs(f) {
			return nil, errForm
		}
		folders = append(folders, filepath.Clean(f))
	}
	return folders, nil
}

func parseSMTP(t string) (any, error) {
	s, err := mail.ParseServer(t)
	if err != nil {
		return nil, errForm
	}
	return s, nil
}

// parseSender parses a name with an address, both of which must be safe in a header.
func parseSender(t string) (any, error) {
	a, err := netmail.ParseAddress(t)
	if err != nil {
		return nil, errForm
	}
	if _, err := mail.CheckAddress(a.Address, ""); err != nil || strings.ContainsFunc(a.Name, unicode.IsControl) {
		return nil, errForm
	}
	return a, nil
}

func parseRetention(t string) (any, error) {
	if t == "0" {
		return time.Duration(0), nil
	}
	d, err := parseDuration(t)
	if err != nil || d < time.Hour {
		return nil, errForm
	}
	return d, nil
}

func parseMemory(t string) (any, error) {
	n, err := parseBytes(t)
	if err != nil || (n != 0 && n < 64<<20) {
		return nil, errForm
	}
	return n, nil
}

// byteUnits are the units of a size. k, m, g and t without b, and units with an i, are powers of 1024.
var byteUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kb": 1e3, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1e6, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1e9, "gib": 1 << 30,
	"t": 1 << 40, "tb": 1e12, "tib": 1 << 40,
}

var bytesForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([a-zA-Z]*)$`)

// parseBytes parses a size such as 100MiB, 1.5 GB or 4096.
func parseBytes(t string) (int64, error) {
	m := bytesForm.FindStringSubmatch(strings.TrimSpace(t))
	if m == nil {
		return 0, errForm
	}
	unit, known := byteUnits[strings.ToLower(m[2])]
	number, err := strconv.ParseFloat(m[1], 64)
	if !known || err != nil || number*unit > math.MaxInt64/2 {
		return 0, errForm
	}
	return int64(number * unit), nil
}

// formatBytes formats a size in the largest unit that needs at most one decimal.
func formatBytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i, rest := 0, float64(n)
	for rest >= 1024 && i < len(units)-1 {
		rest /= 1024
		i++
	}
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatFloat(math.Round(rest*10)/10, 'f', -1, 64) + " " + units[i]
}

var daysForm = regexp.MustCompile(`^([0-9]+)d$`)

// parseDuration parses the syntax of time.ParseDuration, days (7d), and bare seconds (20).
func parseDuration(t string) (time.Duration, error) {
	t = strings.TrimSpace(t)
	if m := daysForm.FindStringSubmatch(t); m != nil {
		days, err := strconv.ParseInt(m[1], 10, 32)
		return time.Duration(days) * 24 * time.Hour, err
	}
	if seconds, err := strconv.ParseUint(t, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	return time.ParseDuration(t)
}

// formatDuration formats a duration without zero parts: 168h, 1m30s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
