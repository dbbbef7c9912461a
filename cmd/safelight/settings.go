package main

import (
	"net/netip"
	"strings"
	"time"

	"github.com/safelight/safelight/imaging"
)

// Settings is what the operator decided, from flags, environment, file and defaults. Make it
// with resolve.
type Settings struct {
	Listen            string
	BaseURL           string
	Data              string
	Database          string // empty: SQLite in Data
	Storage           string // empty: files under Data
	StorageRoots      []string
	StorageNets       []netip.Prefix
	ResultCache       string        // off, or a list
	ResultCacheMemory int64         // bytes
	ResultCacheFiles  int64         // bytes
	ResultCacheErrors time.Duration // 0: not at all
	PreviewCache      int64         // bytes; 0: off
	SourceCheck       time.Duration // 0: each time
	AdminName         string
	AdminPass         string
	LifeOfTokens      time.Duration
	TokenSecret       string
	Guest             bool
	Registration      bool
	Unsafe            bool
	AuditKept         time.Duration // 0: for ever

	ProcessorSecret string
	SignerType      imaging.SignerType
	SignerTruncate  int

	AutoFormat     bool
	Linear         bool
	AVIFSpeed      int // 8 is the fastest
	WebPEffort     int // 1..6
	Strict         bool
	PDF            bool
	RemoteSources  []string       // host globs; none: remote pictures are off
	RemoteNetworks []netip.Prefix // that may be asked although they are not public

	MaxAge         time.Duration // 0: caches ask each time
	StaleRevalid   time.Duration // 0: never stale
	ClientHints    bool
	Origins        []string       // `*` alone: everybody's
	RateLimit      int            // requests a minute; 0: no limit
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	Trash          bool
	TrashRetention time.Duration // 0: for ever

	MaxSourcePixels int64
	MaxSourceBytes  int64
	UploadTTL       time.Duration // since the last byte of an upload
	ScanInterval    time.Duration // between scans of the storage; 0 is none
	MaxResultSide   int
	MaxResultPixels int64
	MaxFrames       int
	MaxLayers       int
	ProcessTimeout  time.Duration
	LoadTimeout     time.Duration
	QueueTimeout    time.Duration
	ShutdownDelay   time.Duration
	ShutdownTimeout time.Duration

	Workers     int   // 0: cores
	Queue       int   // 0: 8 x workers
	MemoryLimit int64 // bytes; 0: 75 % of the machine's or cgroup's

	LogLevel  string
	LogFormat string // empty: text on a terminal, JSON elsewhere

	TraceEndpoint string // empty: no traces
	TracePercent  int

	origins map[string]origin // by the setting's name
}

// IsSet reports whether a setting came from somewhere other than its default.
func (s *Settings) IsSet(name string) bool { return s.origins[name].place != placeDefault }

// Setting is one row of the table of settings.
type Setting struct {
	Name    string // as a flag, without the dashes, and in the file
	Default string // as the operator would write it
	Shown   string // what the documentation says instead of Default, where that depends on the machine
	Kind    Kind
	Secret  bool   // masked, and NAME_FILE is read too
	AlsoEnv string // a second environment variable, after ours
	Group   string
	Help    string
	into    func(*Settings) any // pointer to the field
}

// Env returns the environment variable of the setting.
func (s Setting) Env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// DefaultText returns what the documentation says the default is.
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
	envTestPrefix = "SAFELIGHT_TEST_" // read by tests, never by the program
	fileSuffix    = "-file"
)

// The groups, in the order of the documentation.
const (
	groupServer   = "Server"
	groupAccounts = "Accounts"
	groupImages   = "Images"
	groupHTTP     = "Clients and caches"
	groupLimits   = "Limits"
	groupLog      = "Log and traces"
)
