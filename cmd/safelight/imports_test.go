package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/safelight/safelight/"

// generator makes migrations from the ent schemas on the drivers themselves; it is in no binary.
const generator = "ent/migrations/generate"

// rules are the packages of rules, which hold the database client for their own tables.
var rules = []string{
	"accounts",
	"audit",
	"fonts",
	"gallery",
	"gallery/access",
	"gallery/archive",
	"gallery/shares",
	"gallery/storageconfig",
	"mail",
	"signing",
	"signing/presets",
	"templates",
	"uploads",
	"webhooks",
	"webhooks/outbox",
}

// entities are the database's types.
var entities = []string{"ent", "ent/..."}

// mayImport is the import table of docs/contributing/architecture.md. A name stands for the package and, with
// /..., for all below it. fault is allowed to everyone. A package that matches no row fails.
var mayImport = []struct {
	who  string
	whom []string
}{
	{"cmd/safelight", []string{"..."}},
	{"cmd/safelight/demo", nil},
	{"cmd/safelight/logs", nil},
	{
		"cmd/safelight/files",
		[]string{
			"accounts",
			"fonts",
			"audit",
			"signing",
			"gallery",
			"gallery/archive",
			"gallery/shares",
			"gallery/storageconfig",
			"mail",
			"templates",
			"uploads",
			"database",
			"ent",
			"storage",
			"imaging",
			"auth",
		},
	},
	{"cmd/safelight/idle", nil},
	{"server/limits", nil},
	{"server/connection", []string{"server/limits", "server/metrics"}},
	{"server/responsecache", []string{"cache", "signing"}},
	{"server/accesslog", nil},
	{"timeseries", nil},
	{"server/metrics", []string{"server/admission", "timeseries", "server/coalesce", "imaging", "cache"}},
	{"server/coalesce", []string{"server/admission", "imaging", "imaging/cost"}},
	{"server/hotswap", nil},
	{"server/docsite", []string{"imaging", "web"}},
	{
		"server/...",
		[]string{
			"server/admission",
			"server/hotswap",
			"timeseries",
			"server/accesslog",
			"server/connection",
			"server/metrics",
			"server/limits",
			"server/responsecache",
			"server/coalesce",
			"server/docsite",
			"accounts",
			"fonts",
			"accounts/signin",
			"gallery",
			"gallery/access",
			"gallery/archive",
			"gallery/shares",
			"mail",
			"signing",
			"uploads",
			"auth",
			"imaging",
			"imaging/cost",
			"storage",
			"storage/remote",
			"cache",
			"cache/singleflight",
		},
	},
	// generated
	{
		"graph/exec",
		slices.Concat([]string{"graph/model"}, rules, entities, []string{
			"timeseries",
			"gallery/metadata",
			"gallery/notes",
			"gallery/places",
			"gallery/search",
			"auth",
			"imaging",
			"imaging/family",
			"imaging/preset",
			"imaging/template",
			"cache",
		}),
	},
	{
		"graph/model",
		slices.Concat([]string{"graph/model"}, rules, entities, []string{
			"timeseries",
			"gallery/notes",
			"gallery/search",
			"auth",
			"imaging",
			"imaging/preset",
			"imaging/template",
			"cache",
			"database",
		}),
	},
	{
		"graph/...",
		slices.Concat([]string{"graph/exec", "graph/model"}, rules, []string{
			"timeseries",
			"gallery/metadata",
			"gallery/notes",
			"gallery/purges",
			"gallery/search",
			"auth",
			"imaging",
			"imaging/family",
			"imaging/preset",
			"imaging/template",
			"cache",
			"cache/lru",
			"database",
			"ent",
			"ent/user",
			"ent/processorsettings",
			"ent/webhookdelivery",
		}),
	},
	// for tests
	{
		"gallery/gallerytest",
		slices.Concat(rules, entities, []string{"database", "database/databasetest", "storage", "imaging", "auth"}),
	},
	{"gallery/tokenizer", nil},
	{"gallery/colors", []string{"imaging", "imaging/oklab"}},
	{"gallery/places", []string{"gallery/tokenizer"}},
	{"gallery/metadata", slices.Concat([]string{"gallery/colors", "gallery/places", "gallery/tokenizer"}, entities,
		[]string{"imaging", "imaging/oklab"})},
	{"gallery/notes", slices.Concat([]string{"gallery/tokenizer", "audit"}, entities)},
	{"scripts/seed", nil}, // for journeys
	{"migrate", []string{"imaging"}},
	{
		"gallery/search",
		slices.Concat(
			[]string{"gallery/access", "gallery/colors", "gallery/places", "gallery/tokenizer", "database"}, entities,
			[]string{"imaging"},
		),
	},
	{"gallery/feed", []string{"storage"}},
	{"gallery/purges", []string{"gallery/search", "imaging/preset", "storage", "cache"}},
	{"database/notices", []string{"database"}},
	{"database/clock", []string{"database"}},
	{"database/moves", slices.Concat([]string{"database"}, entities)},
	{"database/leases", slices.Concat([]string{"database"}, entities, []string{"storage"})},
	{"gallery/intents", slices.Concat([]string{"database"}, entities, []string{"storage"})},
	{
		"gallery/relocate",
		slices.Concat([]string{"database", "database/moves"}, entities, []string{"storage", "storage/copies"}),
	},
	{
		"gallery/archive",
		slices.Concat(
			[]string{"gallery", "gallery/access", "gallery/search", "database"}, entities, []string{"storage", "auth"},
		),
	},
	{
		"gallery/shares",
		slices.Concat(
			[]string{"gallery", "gallery/access", "gallery/search", "webhooks/outbox", "mail", "audit", "database"},
			entities,
			[]string{"imaging", "storage", "auth"},
		),
	},
	{"gallery/access", slices.Concat([]string{"gallery/tokenizer", "audit", "cache/lru", "database"}, entities,
		[]string{"auth"})},
	{"gallery/storageconfig", slices.Concat([]string{"audit", "database"}, entities, []string{"storage", "auth"})},
	{
		"uploads",
		slices.Concat(
			[]string{"gallery", "audit", "database"}, entities,
			[]string{"storage", "imaging", "auth"},
		),
	},
	{"templates", []string{"gallery", "gallery/tokenizer", "audit", "database", "storage", "imaging",
		"imaging/template", "auth"}},
	{
		"gallery/...",
		slices.Concat(
			[]string{
				"gallery/access",
				"gallery/colors",
				"gallery/feed",
				"gallery/intents",
				"gallery/metadata",
				"gallery/notes",
				"gallery/places",
				"gallery/purges",
				"gallery/search",
				"gallery/tokenizer",
				"webhooks/outbox",
				"audit",
				"database",
			},
			entities,
			[]string{"storage", "imaging", "imaging/oklab", "imaging/truncation", "auth", "cache"},
		),
	},
	{"fonts/fontstest", nil}, // for tests
	{"fonts", slices.Concat([]string{"audit", "database"}, entities, []string{"imaging", "auth"})},
	{"signing/presets", slices.Concat([]string{"audit", "database"}, entities, []string{"imaging/preset", "auth"})},
	{"signing/sealed", []string{"imaging", "imaging/family"}},
	{
		"signing",
		slices.Concat(
			[]string{"gallery/access", "audit", "database"}, entities,
			[]string{"imaging", "imaging/family", "imaging/preset", "signing/sealed", "storage", "auth"},
		),
	},
	{"mail/mailtest", nil}, // for tests
	{"mail", slices.Concat([]string{"audit", "database"}, entities, []string{"auth"})},
	{"accounts", slices.Concat([]string{"accounts/signin", "mail", "audit", "database"}, entities, []string{"auth"})},
	{"webhooks/outbox", slices.Concat([]string{"audit", "database"}, entities, []string{"auth"})},
	{
		"webhooks",
		slices.Concat(
			[]string{"webhooks/outbox", "audit", "database"}, entities, []string{"storage", "storage/remote", "auth"},
		),
	},
	{"accounts/signin/signintest", nil},
	{"accounts/signin", []string{"auth"}},
	{"audit", slices.Concat([]string{"database"}, entities, []string{"auth"})},
	{"database/databasetest", []string{"database"}},
	{"database", entities},
	{
		"imaging/vips",
		[]string{
			"cache/lru",
			"imaging",
			"imaging/container",
			"imaging/cost",
			"imaging/embedded",
			"imaging/gainmap",
			"imaging/oklab",
			"imaging/pixels",
			"imaging/screen",
		},
	},
	{"imaging/container", nil},
	{"imaging/embedded", []string{"imaging/container"}},
	{"imaging/gainmap", []string{"imaging", "imaging/container"}},
	{"imaging/cost", []string{"imaging", "imaging/gainmap"}},
	{"imaging/oklab", []string{"imaging"}},
	{"imaging/pixels", []string{"imaging/container"}},
	{"imaging/screen", []string{"imaging", "imaging/container"}},
	{"imaging/worker", []string{"imaging", "imaging/sandbox"}},
	{"imaging/sandbox", nil},
	{"imaging/hostile", nil},
	{"imaging/template", []string{"imaging"}},
	{"imaging/truncation", []string{"imaging", "imaging/container"}},
	{"imaging/family", []string{"imaging"}},
	{"imaging/preset", []string{"imaging"}},
	{"imaging", nil},
	{"storage/copies", []string{"imaging", "storage"}},
	{"storage/...", []string{"storage", "storage/...", "cache/lru", "cache/singleflight"}},
	{"auth", nil},
	{"cache", []string{"cache/lru"}},
	{"cache/...", nil},
	{"ent/...", []string{"ent", "ent/..."}},
	{"docs", nil},
	{"schema", nil},
	{"web", nil},
	{"scripts/...", nil},
	{"examples/go", nil},
	{"examples/go/walk", []string{"examples/go"}},
	{"clients/signers/...", nil},
	{"fault", nil},
	{"", nil}, // the root holds go:generate lines only
}

// onlyIn says which packages may import a foreign module.
var onlyIn = []struct {
	path string
	who  []string
}{
	{"github.com/gofiber/", []string{"server/..."}},
	{"github.com/valyala/fasthttp", []string{"server/..."}},
	{"github.com/99designs/gqlgen", []string{"graph/...", "server/..."}},
	{"github.com/h2non/bimg", []string{"imaging/vips"}},
	{"github.com/mattn/go-sqlite3", []string{"cmd/safelight", "database/databasetest", "scripts/seed", generator}},
	{
		"github.com/lib/pq",
		[]string{"cmd/safelight", "database/notices", "database/databasetest", "database", generator},
	},
	{
		"entgo.io/ent/dialect/sql",
		[]string{
			"accounts", "audit", "database", "database/moves", "gallery/...", "mail", "signing", "uploads", "webhooks",
			"ent/...",
		},
	},
	{"C", []string{"imaging/pixels", "imaging/vips", "imaging/sandbox", "cmd/safelight/idle"}},
}

// gqlgenInServer are the packages of gqlgen that make up the executor's interface.
var gqlgenInServer = []string{
	"github.com/99designs/gqlgen/graphql", "github.com/99designs/gqlgen/graphql/errcode",
	"github.com/99designs/gqlgen/graphql/executor",
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportTable(t *testing.T) {
	for _, p := range listPackages(t) {
		who := strings.TrimPrefix(p.ImportPath+"/", module)
		who = strings.TrimSuffix(who, "/")
		allowed, known := rowFor(who)
		if !known {
			t.Errorf("%s has no row in the import table", who)
		}
		for _, path := range p.Imports {
			if whom, ours := strings.CutPrefix(path, module); ours {
				if whom != "fault" &&
					!slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, whom) }) {
					t.Errorf("%s imports %s, the table does not allow it", who, whom)
				}
				continue
			}
			for _, fence := range onlyIn {
				if (path == fence.path || strings.HasPrefix(path, fence.path) && fence.path != "C") &&
					!slices.ContainsFunc(fence.who, func(pattern string) bool { return matches(pattern, who) }) {
					t.Errorf("%s imports %s, which only %v may", who, path, fence.who)
				}
			}
			if strings.HasPrefix(path, "github.com/99designs/gqlgen") && matches("server/...", who) &&
				!slices.Contains(gqlgenInServer, path) {
				t.Errorf("%s imports %s: the server may know the executor's interface only", who, path)
			}
		}
	}
}

// TestImportTableCanFail holds the matching itself.
func TestImportTableCanFail(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"imaging", "imaging", true}, {"imaging", "imaging/vips", false}, {"ent/...", "ent/user", true},
		{"ent/...", "ent", true}, {"ent/...", "entirely", false}, {"...", "whatever", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("matches(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
	if allowed, _ := rowFor("imaging"); len(allowed) != 0 {
		t.Errorf("imaging may import %v", allowed)
	}
}

func rowFor(who string) (allowed []string, known bool) {
	for _, row := range mayImport {
		if matches(row.who, who) {
			return row.whom, true
		}
	}
	return nil, false
}

func matches(pattern, name string) bool {
	if prefix, all := strings.CutSuffix(pattern, "..."); all {
		return strings.HasPrefix(name+"/", prefix)
	}
	return pattern == name
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	command := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", module+"...")
	command.Dir = "../.."
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 8 {
		t.Fatalf("go list found %d packages only", len(packages))
	}
	return packages
}
