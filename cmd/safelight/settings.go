package main

import (
	"net/netip"
	"strings"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/imaging/worker"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing/sealed"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/storage/remote"
	"github.com/safelight/safelight/uploads"
	"github.com/safelight/safelight/webhooks"
)

// Settings are the operator's settings, resolved from flags, environment, file and defaults. Each row of settingsTable
// sets one field: of the Config of the package that uses the value, or of Settings itself if the value needs a
// conversion. Create it with resolve.
type Settings struct {
	Server         server.Config
	Accounts       accounts.Config
	StoragePolicy  storageconfig.Policy
	Gallery        gallery.Config
	GraphQL        graph.Config
	Uploads        uploads.Config
	Archives       archive.Config
	Index          gallery.RunConfig
	Keys           auth.KeyringConfig
	Limits         imaging.Limits
	Engine         vips.Config
	Workers        worker.Config
	Signer         imaging.SignerConfig // without a secret, the configuration is in the database
	EncryptionKeys sealed.Keys          // of image paths
	Results        cache.Config
	Remote         remote.Config // no hosts: remote pictures are off
	Webhooks       webhooks.Config
	Mail           mail.Config // no host: the server sends no e-mail

	Listen            string
	BaseURL           string
	Data              string
	Database          string // empty: SQLite in Data
	AllowNewDatabase  bool
	MapTiles          string // empty: none
	MapAttribution    string
	Storage           string // empty: files under Data
	AllowNewStorage   bool
	Mounts            []mounts.Config
	MountKeys         map[storage.Key]storage.Credentials
	StorageNetworks   []netip.Prefix
	ResultCache       string // off, or a list
	ResultCacheMemory int64  // bytes
	PreviousSecret    string // secret for image URLs, accepted in addition to that of Signer
	AdminName         string
	AdminPassword     string
	AuditRetention    time.Duration // 0: forever
	PresetsFile       string        // empty: no file
	SigninProviders   string        // path of a file; empty: none
	PasswordLogin     bool
	PresetsOnly       bool
	Speed             imaging.Speed
	AVIFSpeed         int    // 8 is the fastest
	WebPEffort        int    // 0 to 6, where 6 is slowest
	MemoryLimit       int64  // bytes; 0: 75 % of the memory of the machine or cgroup
	Isolation         string // all, risky or off
	Supervise         bool
	LogLevel          string
	LogFormat         string // empty: text on a terminal, JSON elsewhere
	TraceEndpoint     string // empty: no traces
	TracePercent      int

	existing bool              // for a command that must not create an installation: no keys, database or secrets
	origins  map[string]origin // by setting name
	texts    map[string]string // values as the operator wrote them, by setting name
	warnings []string          // about unknown environment variables
}

// IsSet reports whether a setting was set explicitly.
func (s *Settings) IsSet(name string) bool { return s.origins[name].place != placeDefault }

// Setting is one row of the table of settings.
type Setting struct {
	Name    string // name in the file and, after two dashes, as a flag
	Default string // as the operator would write it
	Shown   string // shown in the documentation instead of a Default that depends on the machine
	Kind    Kind
	Secret  bool   // masked in output; its value may also be in the file that NAME_FILE names
	AlsoEnv string // a second environment variable with lower precedence
	Group   string
	Help    string
	field   func(*Settings) any // returns a pointer to the field
}

// Env returns the environment variable of the setting.
func (s Setting) Env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// DefaultText returns the default for the documentation.
func (s Setting) DefaultText() string {
	if s.Shown != "" {
		return s.Shown
	}
	if s.Default == "" {
		return "none"
	}
	return s.Default
}

const (
	envPrefix     = "SAFELIGHT_"
	envTestPrefix = "SAFELIGHT_TEST_" // used by tests only
	fileSuffix    = "-file"
)

// The groups of settings, in the order of the documentation.
const (
	groupServer   = "Server"
	groupAccounts = "Accounts"
	groupImages   = "Images"
	groupHTTP     = "Clients and caches"
	groupLimits   = "Limits"
	groupLog      = "Log and traces"
)
