package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/webhooks"
)

// connection is a field that returns pages.
type connection struct {
	field     string                                    // field of the schema, such as Query.files
	operation string                                    // with %s for first and after
	fill      func(context.Context, *gallerytest.Stage) // creates three items
	// drop removes the items before the last one. If it is nil, narrow is an operation that does not match
	// them.
	drop   func(context.Context, *gallerytest.Stage)
	narrow string
}

func files(folder string, names ...string) func(context.Context, *gallerytest.Stage) {
	return func(_ context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			content := gallerytest.PNG
			if strings.HasSuffix(name, ".json") {
				content = "{}"
			}
			s.Put(folder+"/"+name, content)
		}
	}
}

func folders(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			s.Must(s.CreateFolder(ctx, name))
		}
	}
}

func deleted(paths ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, p := range paths {
			s.Must(s.DeleteFile(ctx, p))
		}
	}
}

// duplicates creates three pairs of files with the same hash.
func duplicates(ctx context.Context, s *gallerytest.Stage) {
	files("d", "1a.png", "1b.png", "2a.png", "2b.png", "3a.png", "3b.png")(ctx, s)
	for _, n := range []string{"1", "2", "3"} {
		literal := "x'%s'"
		if strings.HasPrefix(fmt.Sprintf("%T", s.Pool.Driver()), "*pq") {
			literal = `'\x%s'`
		}
		_, err := s.Pool.ExecContext(
			ctx,
			fmt.Sprintf(
				"UPDATE entries SET meta_state = 1, sha256 = "+literal+" WHERE path LIKE 'd/%s%%'",
				strings.Repeat("0"+n, 32), n,
			),
		)
		s.Must(err)
	}
}

// similar creates three pairs of files with the same perceptual hash.
func similar(ctx context.Context, s *gallerytest.Stage) {
	files("w", "1a.png", "1b.png", "2a.png", "2b.png", "3a.png", "3b.png")(ctx, s)
	for i := range 3 {
		_, err := s.Pool.ExecContext(
			ctx,
			fmt.Sprintf("UPDATE entries SET meta_state = 1, phash = %d WHERE path LIKE 'w/%d%%'", 0xff<<(8*i), i+1),
		)
		s.Must(err)
	}
}

func emptied(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.TrashedFiles(ctx, 100, "")
	s.Must(err)
	var ids []string
	for _, i := range p.Items[:len(p.Items)-1] {
		ids = append(ids, i.ID)
	}
	_, err = s.PurgeFiles(ctx, ids)
	s.Must(err)
}

func searches(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			_, err := s.SaveSearch(ctx, accounts.SaveSearchInput{Name: name})
			s.Must(err)
		}
	}
}

// forgotten deletes all searches except the last.
func forgotten(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.SavedSearches(ctx, 100, "")
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.DeleteSearch(ctx, one.ID))
	}
}

func albums(titles ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, title := range titles {
			_, err := s.CreateAlbum(ctx, gallery.ChangeAlbum{Title: &title})
			s.Must(err)
		}
	}
}

// deletedAlbums deletes all albums except the last.
func deletedAlbums(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Albums(ctx, gallery.AlbumOptions{First: 100})
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.DeleteAlbum(ctx, one.ID()))
	}
}

// albumOfThree creates an album with three files.
func albumOfThree(ctx context.Context, s *gallerytest.Stage) {
	files("l", "a.png", "b.png", "c.png")(ctx, s)
	title := "three"
	_, err := s.CreateAlbum(ctx, gallery.ChangeAlbum{Title: &title})
	s.Must(err)
	_, err = s.Pool.Exec("UPDATE albums SET id = '" + somebody + "'")
	s.Must(err)
	_, _, err = s.AddToAlbum(ctx, uuid.MustParse(somebody), []string{"l/c.png", "l/a.png", "l/b.png"}, nil)
	s.Must(err)
}

func tokens(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			_, _, err := s.CreateAPIToken(
				ctx,
				accounts.CreateAPITokenInput{Name: name, Scopes: []auth.Scope{auth.ScopeRead}},
			)
			s.Must(err)
		}
	}
}

// revoked revokes all tokens except the last.
func revoked(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.APITokens(ctx, accounts.TokenFilter{}, 100, "")
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.RevokeAPIToken(ctx, one.ID))
	}
}

// loggedIn starts two sessions in addition to that of the caller.
func loggedIn(ctx context.Context, s *gallerytest.Stage) {
	for range 2 {
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		_, err := s.Login(ctx, "root", gallerytest.Password, "home")
		s.Must(err)
	}
}

// endedSessions ends all sessions except the first one, which is the last of the list.
func endedSessions(ctx context.Context, s *gallerytest.Stage) {
	s.Must(s.LogoutEverywhere(ctx, accounts.EndSessions{KeepCurrent: true}))
}

// somebody is the id of an account other than the caller's.
const somebody = "00000000-0000-4000-8000-0000000000aa"

// renamed changes the caller's account three times and, after the first change, the account of somebody once.
func renamed(ctx context.Context, s *gallerytest.Stage) {
	_, err := s.CreateUser(ctx, accounts.CreateUserInput{
		DisplayName: "x", Username: "somebody", Password: gallerytest.Password, Role: auth.RoleUser,
	})
	s.Must(err)
	_, err = s.Pool.Exec("UPDATE users SET id = '" + somebody + "' WHERE username = 'somebody'")
	s.Must(err)
	other := uuid.MustParse(somebody)
	for i, whose := range []*uuid.UUID{nil, &other, nil, nil} {
		name := fmt.Sprint("name ", i)
		_, err := s.UpdateProfile(ctx, whose, accounts.UpdateProfileInput{DisplayName: &name})
		s.Must(err)
	}
}

func familyKeys(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			_, _, err := s.CreateFamilyKey(ctx, name)
			s.Must(err)
		}
	}
}

// lostKeys deletes all family keys except the last, directly in the database, because no operation does this.
func lostKeys(ctx context.Context, s *gallerytest.Stage) {
	list, err := s.FamilyKeys(ctx)
	s.Must(err)
	for _, k := range list[:len(list)-1] {
		_, err := s.Pool.ExecContext(ctx, "DELETE FROM signing_keys WHERE id = '"+k.ID+"'")
		s.Must(err)
	}
}

func savedPresets(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			_, err := s.Presets.Save(ctx, presets.SaveInput{Name: name, Rule: preset.Rule{Operations: "10x10"}})
			s.Must(err)
		}
	}
}

func deletedPresets(names ...string) func(context.Context, *gallerytest.Stage) {
	return func(ctx context.Context, s *gallerytest.Stage) {
		for _, name := range names {
			s.Must(s.Presets.Delete(ctx, name))
		}
	}
}

func addedFonts(ctx context.Context, s *gallerytest.Stage) {
	for _, file := range [][]byte{gomono.TTF, goregular.TTF, gobolditalic.TTF} {
		_, err := s.Fonts.Add(ctx, bytes.NewReader(file))
		s.Must(err)
	}
}

// deletedFonts deletes all fonts except the last.
func deletedFonts(ctx context.Context, s *gallerytest.Stage) {
	all := s.Fonts.All()
	for _, one := range all[:len(all)-1] {
		s.Must(s.Fonts.Delete(ctx, one.ID))
	}
}

// tagged creates a file with three tags. untagged removes two of them.
func tagged(ctx context.Context, s *gallerytest.Stage) {
	files("x", "tagged.png")(ctx, s)
	results, err := s.TagFiles(ctx, []string{"x/tagged.png"}, []string{"a", "b", "c"}, nil)
	s.Must(errors.Join(err, results[0].Err))
}

func untagged(ctx context.Context, s *gallerytest.Stage) {
	results, err := s.TagFiles(ctx, []string{"x/tagged.png"}, nil, []string{"a", "b"})
	s.Must(errors.Join(err, results[0].Err))
}

// alike creates three files that differ more and more from the first one.
func alike(ctx context.Context, s *gallerytest.Stage) {
	files("y", "0.png", "1.png", "2.png", "3.png")(ctx, s)
	for i := range 4 {
		_, err := s.Pool.ExecContext(
			ctx,
			fmt.Sprintf("UPDATE entries SET meta_state = 1, phash = %d WHERE path = 'y/%d.png'", 1<<i-1, i),
		)
		s.Must(err)
	}
}

// grouped creates three groups.
func grouped(ctx context.Context, s *gallerytest.Stage) {
	for _, name := range []string{"a", "b", "c"} {
		_, err := s.Access.CreateGroup(ctx, name, nil)
		s.Must(err)
	}
}

// ungrouped deletes all groups except the last.
func ungrouped(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Access.Groups(ctx, 100, "")
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.Access.DeleteGroup(ctx, one.ID))
	}
}

// hooked creates three webhooks. unhooked deletes the first two.
func hooked(ctx context.Context, s *gallerytest.Stage) {
	url := "https://example.com/"
	for _, name := range []string{"a", "b", "c"} {
		_, _, err := s.Webhooks.Create(ctx, webhooks.Input{Name: &name, URL: &url})
		s.Must(err)
	}
}

func unhooked(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Webhooks.Webhooks(ctx, 100, "")
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.Webhooks.Delete(ctx, one.ID))
	}
}

// mailed creates three messages. unmailed deletes the newest two.
func mailed(ctx context.Context, s *gallerytest.Stage) {
	for i := range 3 {
		s.Must(s.Mail.RequestReset(ctx, "a@example.com", mail.English))
		s.Clock.Time = s.Clock.Time.Add(time.Duration(i) * time.Second)
	}
}

func unmailed(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Mail.List(ctx, nil, 2, "")
	s.Must(err)
	for _, row := range p.Items {
		_, err := s.Pool.ExecContext(ctx, "DELETE FROM mails WHERE id = '"+row.ID.String()+"'")
		s.Must(err)
	}
}

const (
	hook      = "00000000-0000-0000-0000-00000000000b"
	inHook    = "WHERE webhook_id = '" + hook + "'"
	newestTwo = "(SELECT id FROM webhook_deliveries " + inHook + " ORDER BY id DESC LIMIT 2)"
)

// announced creates a webhook with three deliveries. unannounced deletes the newest two.
func announced(ctx context.Context, s *gallerytest.Stage) {
	const now = "'2026-01-01 00:00:00+00:00'"
	_, err := s.Pool.ExecContext(ctx, "INSERT INTO webhooks (id, name, url, events, secret, created_at, updated_at) "+
		"VALUES ('"+hook+"', 'h', 'https://example.com/', '[]', '', "+now+", "+now+")")
	s.Must(err)
	for range 3 {
		_, err := s.Pool.ExecContext(ctx, "INSERT INTO webhook_deliveries (message, event, source, data, created_at, "+
			"queued_at, next_at, webhook_id) VALUES ('m', 'file.created', 'file:a', '{}', "+
			now+", "+now+", "+now+", '"+hook+"')")
		s.Must(err)
	}
}

func unannounced(ctx context.Context, s *gallerytest.Stage) {
	_, err := s.Pool.ExecContext(ctx, "DELETE FROM webhook_deliveries WHERE id IN "+newestTwo)
	s.Must(err)
}

const ours = "00000000-0000-0000-0000-00000000000a"

// joined creates a group of three accounts. left removes the first two.
func joined(ctx context.Context, s *gallerytest.Stage) {
	_, err := s.Pool.ExecContext(ctx,
		"INSERT INTO groups (id, name, name_key, created_at) VALUES ('"+ours+
			"', 'g', 'g', '2026-01-01 00:00:00+00:00')")
	s.Must(err)
	var ids []uuid.UUID
	for _, name := range []string{"ann", "bob", "cyd"} {
		u, err := s.CreateUser(ctx, accounts.CreateUserInput{
			DisplayName: name, Username: name, Password: gallerytest.Password, Role: auth.RoleUser,
		})
		s.Must(err)
		ids = append(ids, u.ID)
	}
	_, err = s.Access.UpdateGroup(ctx, uuid.MustParse(ours), access.ChangeGroup{Add: ids})
	s.Must(err)
}

func left(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Access.Members(ctx, uuid.MustParse(ours), 2, "")
	s.Must(err)
	remove := []uuid.UUID{p.Items[0].ID, p.Items[1].ID}
	_, err = s.Access.UpdateGroup(ctx, uuid.MustParse(ours), access.ChangeGroup{Remove: remove})
	s.Must(err)
}

var connections = []connection{
	{"Query.groups", `{ groups(%s) PAGE }`, grouped, ungrouped, ""},
	{"Group.members", `{ node(id: "` + ours + `") { ... on Group { members(%s) PAGE } } }`, joined, left, ""},
	{"Query.webhooks", `{ webhooks(%s) PAGE }`, hooked, unhooked, ""},
	{"Query.mailMessages", `{ mailMessages(%s) PAGE }`, mailed, unmailed, ""},
	{"Query.shares", `{ shares(%s) PAGE }`, shared, unshared, ""},
	{
		"Share.feedback",
		`{ node(id: "` + somebody + `") { ... on Share { feedback(%s) PAGE } } }`,
		reviewed,
		func(_ context.Context, s *gallerytest.Stage) {
			_, err := s.Pool.Exec("DELETE FROM share_comments WHERE text <> 'c.png'")
			s.Must(err)
		},
		"",
	},
	{"Share.comments", `{ node(id: "` + somebody + `") { ... on Share { comments(%s) PAGE } } }`, reviewed, uncommented,
		""},
	{
		"Webhook.deliveries", `{ node(id: "` + hook + `") { ... on Webhook { deliveries(%s) PAGE } } }`,
		announced, unannounced, "",
	},
	{"Query.apiTokens", `{ apiTokens(%s) PAGE }`, tokens("a", "b", "c"), revoked, ""},
	{"User.sessions", `{ me { sessions(%s) PAGE } }`, loggedIn, endedSessions, ""},
	{
		"User.securityEvents",
		`{ me { securityEvents(%s) PAGE } }`,
		renamed,
		nil,
		`{ user(id: "` + somebody + `") { securityEvents(%s) PAGE } }`,
	},
	{"Query.familyKeys", `{ familyKeys(%s) PAGE }`, familyKeys("a", "b", "c"), lostKeys, ""},
	{"Query.fonts", `{ fonts(%s) PAGE }`, addedFonts, deletedFonts, ""},
	{"Query.presets", `{ presets(%s) PAGE }`, savedPresets("a", "b", "c"), deletedPresets("a", "b"), ""},
	{"Query.similarFiles", `{ similarFiles(path: "y/0.png", %s) PAGE }`, alike, deleted("y/1.png", "y/2.png"), ""},
	{"Query.tags", `{ tags(%s) PAGE }`, tagged, untagged, ""},
	{"Query.albums", `{ albums(%s) PAGE }`, albums("a", "b", "c"), deletedAlbums, ""},
	{"Album.files", `{ album(id: "` + somebody + `") { files(%s) PAGE } }`, albumOfThree, deleted("l/c.png", "l/a.png"),
		""},
	{"Query.savedSearches", `{ savedSearches(%s) PAGE }`, searches("a", "b", "c"), forgotten, ""},
	{
		"Query.files",
		`{ files(folder: "p", %s) PAGE }`,
		files("p", "a.png", "b.png", "c.png"),
		deleted("p/a.png", "p/b.png"),
		"",
	},
	{"Query.folders", `{ folders(folder: "q", %s) PAGE }`, folders("q/a", "q/b", "q/c"), deleted("q/a", "q/b"), ""},
	{
		"Folder.files",
		`{ folder(path: "r") { files(%s) PAGE } }`,
		files("r", "a.png", "b.png", "c.png"),
		deleted("r/a.png", "r/b.png"),
		"",
	},
	{
		"Folder.folders",
		`{ folder(path: "s") { folders(%s) PAGE } }`,
		folders("s/a", "s/b", "s/c"),
		deleted("s/a", "s/b"),
		"",
	},
	{
		"Query.templates",
		`{ templates(folder: "t", %s) PAGE }`,
		files("t", "a.template.json", "b.template.json", "c.template.json"),
		deleted("t/a.template.json", "t/b.template.json"),
		"",
	},
	{"Query.duplicates", `{ duplicates(%s) PAGE }`, duplicates, deleted("d/1a.png", "d/2b.png"), ""},
	{"Query.similarGroups", `{ similarGroups(%s) PAGE }`, similar, deleted("w/1a.png", "w/2b.png"), ""},
	{
		"Query.auditEvents",
		`{ auditEvents(filter: {action: "folder.create", target: "file:u"}, %s) PAGE }`,
		folders("u/a", "u/b", "u/c"),
		nil,
		`{ auditEvents(filter: {action: "folder.create", target: "file:u/a"}, %s) PAGE }`,
	},
	{"Query.trashedFiles", `{ trashedFiles(%s) PAGE }`, func(ctx context.Context, s *gallerytest.Stage) {
		files("v", "a.png", "b.png", "c.png")(ctx, s)
		deleted("v/a.png", "v/b.png", "v/c.png")(ctx, s)
	}, emptied, ""},
}

// shared creates three links to one folder.
func shared(ctx context.Context, s *gallerytest.Stage) {
	files("x", "a.png")(ctx, s)
	for range 3 {
		_, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"x"}})
		s.Must(err)
	}
}

// reviewed creates a link with three pictures that have one comment each.
func reviewed(ctx context.Context, s *gallerytest.Stage) {
	files("x", "a.png", "b.png", "c.png")(ctx, s)
	link, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"x"}, AllowFeedback: true})
	s.Must(err)
	for _, statement := range []string{
		"DELETE FROM share_items",
		"UPDATE shares SET id = '" + somebody + "'",
		"INSERT INTO share_items (path, position, share_id) VALUES ('x', 0, '" + somebody + "')",
	} {
		_, err = s.Pool.Exec(statement)
		s.Must(err)
	}
	within, v, err := s.Shares.Visit(s.Context(), strings.TrimPrefix(*s.Shares.URL(link), "/s/"), "")
	s.Must(err)
	r, err := v.Review(within, "")
	s.Must(err)
	_, err = r.Name(within, "Ann")
	s.Must(err)
	p, err := v.Files(within, "", "", 100)
	s.Must(err)
	for _, f := range p.Items {
		_, err := r.Comment(within, f, shares.NewComment{Text: f.Name()})
		s.Must(err)
	}
}

// uncommented deletes all comments except the last one of the list.
func uncommented(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Shares.Comments(ctx, &ent.Share{ID: uuid.MustParse(somebody)}, shares.CommentsInput{First: 100})
	s.Must(err)
	for _, c := range p.Items[:2] {
		s.Must(s.Shares.DeleteComment(ctx, c.ID))
	}
}

// unshared revokes all links before the last one.
func unshared(ctx context.Context, s *gallerytest.Stage) {
	p, err := s.Shares.List(ctx, shares.ListInput{First: 100})
	s.Must(err)
	for _, one := range p.Items[:len(p.Items)-1] {
		s.Must(s.Shares.Delete(ctx, one.ID))
	}
}

// connectionFields returns the fields of the schema that return a connection.
func connectionFields(t *testing.T) map[string]bool {
	t.Helper()
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, d := range doc.Types {
		for _, f := range d.Fields {
			if strings.HasSuffix(f.Type.Name(), "Connection") {
				all[d.Name+"."+f.Name] = true
			}
		}
	}
	return all
}

// TestConnections pages through each connection of the schema, one item per page, and back to the start.
func TestConnections(t *testing.T) {
	missing := connectionFields(t)
	for _, c := range connections {
		if !missing[c.field] {
			t.Errorf("%s is no connection of the schema", c.field)
		}
		delete(missing, c.field)
		t.Run(c.field, func(t *testing.T) {
			gallerytest.Each(
				t, gallerytest.Config{Gallery: gallery.Config{Trash: true},
					Fonts: fonts.Config{Engine: &gallerytest.HeaderEngine{}}, Mail: &mail.Config{}},
				func(s *gallerytest.Stage) { c.test(s) },
			)
		})
	}
	for field := range missing {
		t.Errorf("the connection %s is not tested here", field)
	}
}

func (c connection) test(s *gallerytest.Stage) {
	ctx := s.As(s.Person("root", auth.RoleAdmin))
	c.fill(ctx, s)
	after, before := "", ""
	for i := range 3 {
		p := c.page(ctx, s, c.operation, after)
		if len(p.Edges) != 1 || p.PageInfo.HasPreviousPage != (i > 0) || p.PageInfo.HasNextPage != (i < 2) {
			s.Fatalf("page %d: %+v", i+1, p)
		}
		if p.PageInfo.StartCursor != p.Edges[0].Cursor || p.PageInfo.EndCursor != p.Edges[0].Cursor {
			s.Errorf("page %d: the cursor of the item is %s, those of the page %+v", i+1, p.Edges[0].Cursor, p.PageInfo)
		}
		before, after = after, p.PageInfo.EndCursor
	}
	operation := c.operation
	if c.drop != nil {
		c.drop(ctx, s)
	} else {
		operation = c.narrow
	}
	p := c.page(ctx, s, operation, before)
	if len(p.Edges) != 1 || p.PageInfo.HasPreviousPage || p.PageInfo.HasNextPage {
		s.Errorf("nothing else is left: %+v", p)
	}
	p = c.page(ctx, s, operation, after)
	if len(p.Edges) != 0 || !p.PageInfo.HasPreviousPage || p.PageInfo.HasNextPage {
		s.Errorf("after the last item: %+v", p)
	}
}

// connectionPage is a response.
type connectionPage struct {
	Edges    []struct{ Cursor string }
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       string
	}
}

// page requests one item.
func (c connection) page(ctx context.Context, s *gallerytest.Stage, operation, after string) connectionPage {
	s.Helper()
	e, err := graph.NewExecutor(
		graph.Config{MaxValues: 100_000, MaxBytes: 8 << 20},
		graph.Rules{Webhooks: s.Webhooks, Mail: s.Mail, Shares: s.Shares, Accounts: s.Accounts, Audit: s.Audit,
			Backend: s.Settings, Gallery: s.Gallery,
			Signing: s.Signer, Fonts: s.Fonts, Presets: s.Presets, Templates: s.Templates, Uploads: s.Uploads},
		slog.New(slog.DiscardHandler),
	)
	s.Must(err)
	arguments := "first: 1"
	if after != "" {
		arguments += fmt.Sprintf(", after: %q", after)
	}
	query := strings.ReplaceAll(
		fmt.Sprintf(operation, arguments), "PAGE",
		"{ edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }",
	)
	ctx = graphql.StartOperationTrace(ctx)
	o, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
	if len(errs) > 0 {
		s.Fatalf("%s: %v", query, errs)
	}
	responses, ctx := e.DispatchOperation(ctx, o)
	answer := responses(ctx)
	if len(answer.Errors) > 0 {
		s.Fatalf("%s: %v", query, answer.Errors)
	}
	// the page is the only object below the fields that lead to it
	data := answer.Data
	for {
		var p connectionPage
		s.Must(json.Unmarshal(data, &p))
		if p.Edges != nil {
			return p
		}
		var inner map[string]json.RawMessage
		s.Must(json.Unmarshal(data, &inner))
		for _, data = range inner {
		}
	}
}
