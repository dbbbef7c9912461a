package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/database/databasetest"
)

// moveQueries returns 200 queries: pages of files in every order with filters and searches, and everything else that is
// in the database.
func moveQueries() []string {
	const file = `id path size modifiedAt etag format analysisState width height takenAt camera dominantColor blurHash thumbHash phash tags description rating favorite focalPoint { x y } thumbnailUrls { grid } url`
	list := []string{
		`{ users { totalCount items { id username displayName role isActive createdAt updatedAt lastLoginAt } } }`,
		`{ apiTokens(includeRevoked: true) { nodes { id name prefix scopes createdAt expiresAt revokedAt } } }`,
		`{ savedSearches { nodes { id name folder recursive search sort order createdAt } } }`,
		`{ albums { nodes { id title description visibility sort order smart rules { search filter } cover { path } files { nodes { path } } createdAt updatedAt } } }`,
		`{ trashedFiles { totalCount nodes { id path size fileCount trashedAt trashedBy purgeAt } } }`,
		`{ tags { nodes { name count } } }`, `{ familyKeys { nodes { id } } }`, `{ me { id username } }`,
		`{ processorStatus { configured } }`,
		`{ duplicates { nodes { files { path } } } }`, `{ similarGroups { nodes { files { path } } } }`,
		`{ auditEvents(first: 100) { totalCount nodes { id createdAt actorId actorName action target before after } } }`,
	}
	filters := []string{
		"{}",
		`{tags: ["Sea"]}`,
		`{minRating: 3}`,
		`{favorite: true}`,
		`{minWidth: 60}`,
		`{color: {color: "teal", within: 0.3}}`,
		`{isBroken: false}`,
	}
	for _, folder := range []string{"", "trip", "trip/day one"} {
		list = append(
			list, fmt.Sprintf(`{ folder(path: %q) { id path name } }`, folder),
			fmt.Sprintf(`{ folders(folder: %q, recursive: true) { nodes { id path } } }`, folder),
			fmt.Sprintf(`{ timeline(folder: %q, by: DAY) { start end count } }`, folder),
		)
		for _, sort := range []string{"NAME", "SIZE", "MODIFIED", "TAKEN", "DIMENSIONS", "RATING"} {
			for i, filter := range filters {
				list = append(
					list,
					fmt.Sprintf(
						`{ files(folder: %q, recursive: true, sort: %s, order: %s, first: %d, filter: %s) { totalCount pageInfo { endCursor } nodes { %s } } }`,
						folder, sort, []string{"ASC", "DESC"}[i%2], 3+i, filter, file,
					),
				)
			}
		}
	}
	for i := 0; len(list) < 200; i++ {
		words := []string{"sea", "se", "ea", "ünï", "img", "g 1", "nothing", "jpg", "day", "12"}
		list = append(
			list,
			fmt.Sprintf(
				`{ files(recursive: true, search: %q, sort: MODIFIED, first: %d) { totalCount nodes { %s } } }`,
				words[i%len(words)], i+1, file,
			),
		)
	}
	return list
}

// drawn returns a small JPEG that is different for each i.
func drawn(t *testing.T, i int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 40+i*2, 30))
	for p := range picture.Pix {
		picture.Pix[p] = byte(p * (i + 3) / 7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// furnish fills a gallery through the API of a server, with something in every table that has an API, and returns an
// API token.
func furnish(s *realServer, token string) string {
	for i := range 30 {
		name := fmt.Sprintf("%s/img %d ünï.jpg", []string{"trip", "trip/day one", "other"}[i%3], i)
		if r := s.upload(token, name, drawn(s.T, i)); r.status != http.StatusOK ||
			strings.Contains(string(r.body), `"code":`) {
			s.Fatalf("%s: %d %s", name, r.status, r.body)
		}
		if i%2 == 0 {
			s.ask(
				token,
				fmt.Sprintf(
					`mutation { updateFile(input: {path: %q, tags: ["Sea", "n%d"], description: "seen \"%d\"", focalPoint: {x: 0.25, y: 0.3}, rating: %d, favorite: %v}) { userErrors { message } } }`,
					name, i%5, i, i%6, i%4 == 0,
				),
			)
		}
	}
	s.ask(
		token,
		`mutation { createUser(input: {displayName: "Bob ö", username: "bob", password: "`+realPassword+
			`", role: USER}) { id } }`,
	)
	s.ask(
		token,
		`mutation { createSavedSearch(input: {name: "Seas", search: "sea", filter: {minRating: 2}, sort: TAKEN}) { userErrors { message } } }`,
	)
	album, _ := s.ask(
		token, `mutation { createAlbum(input: {title: "Trip", visibility: EVERYONE}) { album { id } } }`, "createAlbum",
		"album", "id",
	).(string)
	s.ask(
		token,
		`mutation { addToAlbum(input: {id: "`+album+
			`", paths: ["other/img 2 ünï.jpg", "other/img 5 ünï.jpg", "trip/img 0 ünï.jpg"]}) { userErrors { message } } }`,
	)
	s.ask(token, `mutation { deleteFiles(input: {paths: ["other/img 2 ünï.jpg"]}) { userErrors { message } } }`)
	s.ask(token, `mutation { createFamilyKey(input: {name: "web"}) { userErrors { message } } }`)
	secret, _ := s.ask(token, `mutation { createApiToken(input: {name: "ci", scopes: [READ]}) { secret } }`,
		"createApiToken", "secret").(string)
	s.until("the metadata of all pictures", func() bool {
		return s.ask(token, `{ files(recursive: true, first: 100) { nodes { analysisState } } }`, "files") != nil &&
			!strings.Contains(
				fmt.Sprint(s.ask(token, `{ files(recursive: true, first: 100) { nodes { analysisState } } }`)),
				"PENDING",
			)
	})
	return secret
}

// finerThanMicros are times as only SQLite stores them.
var finerThanMicros = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7,9}Z`)

// askAll returns the answers to queries, with times to the microsecond.
func askAll(s *realServer, token string, queries []string) []string {
	var list []string
	for _, q := range queries {
		text, err := json.Marshal(s.ask(token, q))
		if err != nil {
			s.Fatal(err)
		}
		list = append(list, finerThanMicros.ReplaceAllStringFunc(string(text), func(form string) string {
			at, err := time.Parse(time.RFC3339Nano, form)
			if err != nil {
				s.Fatal(err)
			}
			return at.Round(time.Microsecond).Format(time.RFC3339Nano)
		}))
	}
	return list
}

func sameAnswers(t *testing.T, where string, queries, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %s\n%.2000s\nexpected\n%.2000s", where, queries[i], got[i], want[i])
		}
	}
}

// TestMoveDatabase moves a gallery from SQLite to PostgreSQL and back while its server runs: it answers queries and
// refuses changes meanwhile. Before, between and after, 200 queries have the same answers, sessions, passwords and API
// tokens are valid, and URLs are the same.
func TestMoveDatabase(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	data, postgres, again := t.TempDir(), databasetest.EmptyPostgres(t), filepath.Join(t.TempDir(), "again.db")
	s := launchIn(t, data, nil)
	token := s.login()
	api := furnish(s, token)
	queries := moveQueries()
	if len(queries) != 200 {
		t.Fatalf("%d queries", len(queries))
	}
	want := askAll(s, token, queries)

	out := mustRun(t, data, "", "move-database", "--to", postgres)
	if !strings.Contains(out, "entries ") || !strings.Contains(out, "set database to the new one") {
		t.Errorf("it says %s", out)
	}
	sameAnswers(t, "the old server after the move", queries, askAll(s, token, queries), want)
	if r := s.upload(token, "late.jpg", drawn(t, 99)); !strings.Contains(string(r.body), "UNAVAILABLE") ||
		!strings.Contains(string(r.body), "being moved") {
		t.Errorf("a change after the move: %s", r.body)
	}
	if _, err := os.Stat(filepath.Join(data, "files/late.jpg")); err == nil {
		t.Error("the refused file was stored")
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if _, err := tryLaunchIn(t, data, nil); err == nil || !strings.Contains(err.Error(), "was moved to postgres://") {
		t.Errorf("a start on the old database: %v", err)
	}

	s = launchIn(t, data, nil, "--database", postgres)
	sameAnswers(t, "PostgreSQL", queries, askAll(s, token, queries), want)
	r := s.post("/api/graphql", `{"query":"{ me { username } }"}`, api)
	if !strings.Contains(string(r.body), `"admin"`) {
		t.Errorf("the API token: %s", r.body)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	mustRun(t, data, "", "move-database", "--from", postgres, "--to", "sqlite://"+again)
	s = launchIn(t, data, nil, "--database", "sqlite://"+again)
	sameAnswers(t, "SQLite again", queries, askAll(s, token, queries), want)
	s.loginAs("bob")
	if r := s.upload(token, "new.jpg", drawn(t, 99)); strings.Contains(string(r.body), `"code":`) {
		t.Errorf("a change after the moves: %s", r.body)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	out = mustRun(t, data, "", "move-database", "--from", postgres, "--cancel")
	if !strings.Contains(out, "accepts changes again") {
		t.Errorf("canceling: %s", out)
	}
}
