package server_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/schema"
)

// reach is a root field of the SDL with a query that reaches into the folder PATH: by its path, as FILE for the id of
// the file PATH/f.png, FOLDER for that of the folder, TRASH for that of PATH/gone.png in the trash, or without naming
// it at all.
type reach struct {
	query string
	needs access.Right // on the folder; None: the query does not name it
	none  string       // why there is no query: the field knows no files
}

const account = "accounts, sessions and tokens are not files"

// reaches has a row for every root field of the SDL.
var reaches = map[string]reach{
	"Query.file": {query: `{ file(path: "PATH/f.png") { name access folder { name access fileCount } tags ` +
		`thumbnailUrls { meta } srcset(widths: [100]) } }`, needs: access.View},
	"Query.folder": {query: `{ folder(path: "PATH") { name access hasFolders fileCount totalSize ` +
		`files { totalCount } folders(recursive: true) { totalCount } parent { name fileCount hasFolders } } }`,
		needs: access.View},
	"Query.files": {query: `{ files(folder: "PATH", recursive: true) { totalCount nodes { path } } }`,
		needs: access.View},
	"Query.folders": {query: `{ folders(folder: "PATH", recursive: true) { totalCount nodes { path } } }`,
		needs: access.View},
	"Query.filesByPath":   {query: `{ filesByPath(paths: ["PATH/f.png"]) { path name tags } }`},
	"Query.foldersById":   {query: `{ foldersById(ids: ["FOLDER"]) { path } }`},
	"Query.pinnedFolders": {query: `{ pinnedFolders { path } }`},
	"Query.node": {query: `{ a: node(id: "FILE") { id ... on File { path } } ` +
		`b: node(id: "FOLDER") { ... on Folder { path } } c: node(id: "TRASH") { ... on TrashedFile { path } } }`},
	"Query.timeline": {query: `{ timeline(folder: "PATH", recursive: true, by: YEAR) { count } }`, needs: access.View},
	"Query.suggestions": {query: `{ a: suggestions(for: TAG) { value count } b: suggestions(for: CAMERA) { value count } ` +
		`c: suggestions(for: LENS) { value count } d: suggestions(for: FOLDER) { value count } ` +
		`e: suggestions(for: FOLDER, text: "zq9") { value count } f: suggestions(for: PLACE) { value count } ` +
		`g: suggestions(for: TAG, filter: {minSize: 0}) { value count } }`},
	"Query.fileCounts": {query: `{ fileCounts(folder: "PATH", each: [{}, {favorite: false}]) }`, needs: access.View},
	"Query.mapClusters": {query: `{ mapClusters(bounds: {south: -85, west: -180, north: 85, east: 180}, zoom: 2) ` +
		`{ count cover { path } place { city } } }`},
	"Query.tags":        {query: `{ tags { totalCount nodes { name count } } }`},
	"Query.indexStatus": {query: `{ indexStatus { pendingFiles scan { path entries } } }`},
	"Query.similarFiles": {query: `{ a: similarFiles(path: "PATH/f.png") { totalCount nodes { file { path } } } ` +
		`b: similarFiles(path: "seen/f.png") { totalCount nodes { file { path } } } }`, needs: access.View},
	"Query.duplicates":    {query: `{ duplicates { nodes { count files { path } } } }`},
	"Query.similarGroups": {query: `{ similarGroups { nodes { count files { path } } } }`},
	"Query.trashedFiles":  {query: `{ trashedFiles { totalCount nodes { path } } }`},
	"Query.templates":     {query: `{ templates(folder: "PATH", recursive: true) { totalCount } }`, needs: access.View},
	"Query.template":      {query: `{ template(path: "PATH/t.template.json") { name } }`, needs: access.View},
	"Query.savedSearches": {query: `{ files(recursive: true, search: "zq9") { totalCount } ` +
		`a: files(recursive: true, filter: {tags: ["zq9tag"]}) { totalCount } ` +
		`b: files(recursive: true, filter: {camera: "canon"}) { totalCount } ` +
		`c: files(recursive: true, filter: {folder: "/zq9hidden"}) { totalCount } ` +
		`d: files(recursive: true, filter: {place: "Kyoto"}) { totalCount } ` +
		`e: files(recursive: true, skip: 1, sort: SIZE) { nodes { path } pageInfo { hasNextPage hasPreviousPage } } ` +
		`f: files(recursive: true, sort: TAKEN, order: DESC, filter: {formats: [PNG]}) { totalCount nodes { path } } ` +
		`savedSearches { totalCount } }`},
	"Query.shares": {query: `{ shares(path: "PATH") { totalCount nodes { paths } } }`},
	"Mutation.createShare": {query: `mutation { createShare(input: {paths: ["PATH/f.png"]}) ` +
		`{ userErrors { code message } } }`, needs: access.View},
	"Mutation.updateShare": {none: "links of the caller"}, "Mutation.deleteShare": {none: "links of the caller"},
	"Query.newFeedback": {none: "links of the caller"}, "Mutation.markFeedbackSeen": {none: "links of the caller"},
	"Mutation.hideShareComment":    {none: "links of the caller"},
	"Mutation.deleteShareComment":  {none: "links of the caller"},
	"Mutation.deleteShareReviewer": {none: "links of the caller"},
	"Query.albums": {query: `{ albums(first: 5) { totalCount nodes { title fileCount cover { path } files(first: 3) ` +
		`{ totalCount nodes { path } edges { cursor } pageInfo { hasNextPage hasPreviousPage } } } } }`},
	"Query.album": {
		query: `{ album(id: "SHOWN") { title fileCount cover { path } rules { folder } files { nodes { path } } } }`},
	"Mutation.createAlbum": {none: "texts of the caller"}, "Mutation.deleteAlbum": {none: "texts of the caller"},
	"Mutation.updateAlbum": {query: `mutation { updateAlbum(input: {id: "OWN", coverPath: "PATH/f.png"}) ` +
		`{ userErrors { code message } } }`, needs: access.View},
	"Mutation.addToAlbum": {query: bulk(`addToAlbum(input: {id: "OWN", paths: ["PATH/f.png"]})`),
		needs: access.View},
	"Mutation.removeFromAlbum": {query: bulk(`removeFromAlbum(input: {id: "SHOWN", paths: ["PATH/f.png"]})`)},
	"Mutation.moveInAlbum": {
		query: bulk(`moveInAlbum(input: {id: "OWN", paths: ["seen/f.png"], before: "PATH/g.png"})`)},
	"Query.grants":   {query: `{ grants(folder: "PATH") { path right to { kind } } }`, needs: access.Manage},
	"Query.upload":   {none: "uploads of the caller"},
	"Query.mapTiles": {none: "a setting"}, "Query.storageStatus": {none: "the storage as a whole"},
	"Query.processorStatus": {none: "a setting"}, "Query.parseProcessorUrl": {none: "reads the text of a URL"},
	"Query.installedFonts": {none: "fonts"}, "Query.fonts": {none: "fonts"},
	"Query.presets": {none: "what admins wrote"}, "Query.preset": {none: "what admins wrote"},
	"Query.me": {none: account}, "Query.user": {none: account}, "Query.users": {none: account},
	"Query.apiTokens": {none: account}, "Query.auditEvents": {none: "admins only"},
	"Query.secondFactorPolicy": {none: account}, "Mutation.removeAuthenticatorApp": {none: account},
	"Mutation.removePasskey": {none: account}, "Mutation.createRecoveryCodes": {none: account},
	"Mutation.resetSecondFactor": {none: account}, "Mutation.configureSecondFactor": {none: account},
	"Query.cacheStatus": {none: "admins only"}, "Query.familyKeys": {none: "admins only"},
	"Query.settings": {none: "admins only"}, "Query.serverMetrics": {none: "admins only"},
	"Query.diagnosis": {none: "admins only"}, "Query.groups": {none: "admins only"},
	"Query.webhooks": {none: "admins only"}, "Query.mailMessages": {none: "admins only"},
	"Mutation.sendTestMail": {none: "admins only"}, "Mutation.retryMail": {none: "admins only"},
	"Mutation.changeEmail": {none: account}, "Mutation.sendShare": {none: "links of the caller"},
	"Query.grantees": {none: "names of accounts and groups, for managers"},

	"Mutation.createFolder": {
		query: `mutation { createFolder(input: {path: "PATH/new"}) { userErrors { code message } } }`,
		needs: access.Edit,
	},
	"Mutation.pinFolder": {
		query: `mutation { pinFolder(input: {path: "PATH", pinned: false}) { userErrors { code message } } }`,
		needs: access.View,
	},
	"Mutation.updateFile": {
		query: `mutation { updateFile(input: {path: "PATH/f.png", rating: 2}) { userErrors { code message } } }`,
		needs: access.Edit,
	},
	"Mutation.rescan": {
		query: `mutation { rescan(input: {path: "PATH"}) { userErrors { code message } } }`, needs: access.Edit,
	},
	"Mutation.addFile": {query: `mutation ($f: Upload!) { addFile(input: {path: "PATH/f.png", content: $f}) ` +
		`{ userErrors { code message } } }`, needs: access.Edit},
	"Mutation.createUpload": {query: `mutation { createUpload(input: {path: "PATH/f.png", sizeBytes: 5}) ` +
		`{ userErrors { code message } } }`, needs: access.Edit},
	"Mutation.trashFiles":   {query: bulk(`trashFiles(input: {paths: ["PATH/none.png"]})`), needs: access.Edit},
	"Mutation.deleteFiles":  {query: bulk(`deleteFiles(input: {paths: ["PATH/none.png"]})`), needs: access.Edit},
	"Mutation.restoreFiles": {query: bulk(`restoreFiles(input: {ids: ["TRASH"], onConflict: RENAME})`)},
	"Mutation.purgeFiles":   {query: bulk(`purgeFiles(input: {ids: ["TRASH"]})`)},
	"Mutation.emptyTrash":   {query: `mutation { emptyTrash { purgedCount } }`},
	"Mutation.tagFiles":     {query: bulk(`tagFiles(input: {paths: ["PATH/f.png"], add: ["x"]})`), needs: access.Edit},
	"Mutation.rateFiles":    {query: bulk(`rateFiles(input: {paths: ["PATH/f.png"], rating: 3})`), needs: access.Edit},
	"Mutation.moveFiles": {query: bulk(`moveFiles(input: {paths: ["PATH/none.png"], folder: "PATH/x"})`),
		needs: access.Edit},
	"Mutation.copyFiles": {query: bulk(`copyFiles(input: {paths: ["PATH/none.png"], folder: "PATH/x"})`),
		needs: access.Edit},
	"Mutation.createArchive": {query: `mutation { createArchive(input: {paths: ["PATH"]}) ` +
		`{ archive { fileCount } userErrors { code message } } }`, needs: access.View},
	"Mutation.createSavedSearch": {query: `mutation { createSavedSearch(input: {name: "n", folder: "PATH/none"}) ` +
		`{ userErrors { code message } } }`},
	"Mutation.generateProcessorUrl": {query: `mutation { generateProcessorUrl(imagePath: "PATH/f.png", params: {}) }`,
		needs: access.View},
	"Mutation.generateProcessorUrlFromTemplate": {query: `mutation { generateProcessorUrlFromTemplate(` +
		`templateJson: "{\"version\": 1, \"output\": {}, \"layers\": []}", imagePath: "PATH/f.png") }`},
	"Mutation.applyTemplate": {query: `mutation { applyTemplate(input: {templatePath: "PATH/t.template.json", ` +
		`templateJson: "{}"}) { userErrors { code message } } }`},
	"Mutation.saveTemplate": {query: `mutation { saveTemplate(input: {name: "n", savePath: "PATH", templateJson: "{}"}) ` +
		`{ success } }`},
	"Mutation.restoreTemplateVersion": {query: `mutation { restoreTemplateVersion(input: {path: "PATH/t.template.json", ` +
		`version: 1}) { userErrors { code message } } }`},
	"Mutation.regenerateTemplatePreview": {query: `mutation { regenerateTemplatePreview(input: ` +
		`{path: "PATH/t.template.json"}) { userErrors { code message } } }`},
	"Mutation.renameTemplate": {query: `mutation { renameTemplate(input: {path: "PATH/t.template.json", name: "u"}) ` +
		`{ userErrors { code message } } }`},
	"Mutation.deleteTemplate": {query: `mutation { deleteTemplate(input: {path: "PATH/none.template.json"}) ` +
		`{ userErrors { code message } } }`, needs: access.Edit},
	"Mutation.setGrants": {query: `mutation { setGrants(input: {folder: "PATH", grants: [{to: {accountId: "no"}, ` +
		`right: VIEW}]}) { userErrors { code message } } }`, needs: access.Manage},

	"Mutation.finishUpload":      {none: "uploads of the caller; TestUploadAfterARightEnded"},
	"Mutation.cancelUpload":      {none: "uploads of the caller"},
	"Mutation.renameSavedSearch": {none: "texts of the caller"},
	"Mutation.deleteSavedSearch": {none: "texts of the caller"},
	"Mutation.purgeCache":        {none: "admins only"}, "Mutation.addFont": {none: "admins only"},
	"Mutation.deleteFont": {none: "admins only"}, "Mutation.configureStorage": {none: "admins only"},
	"Mutation.testStorage": {none: "admins only"}, "Mutation.configureProcessor": {none: "admins only"},
	"Mutation.createFamilyKey": {none: "admins only"}, "Mutation.revokeFamilyKey": {none: "admins only"},
	"Mutation.savePreset": {none: "admins only"}, "Mutation.deletePreset": {none: "admins only"},
	"Mutation.createGroup": {none: "admins only"}, "Mutation.updateGroup": {none: "admins only"},
	"Mutation.createWebhook": {none: "admins only"}, "Mutation.updateWebhook": {none: "admins only"},
	"Mutation.deleteWebhook": {none: "admins only"}, "Mutation.rotateWebhookSecret": {none: "admins only"},
	"Mutation.testWebhook": {none: "admins only"}, "Mutation.retryDelivery": {none: "admins only"},
	"Mutation.deleteGroup": {none: "admins only"}, "Mutation.createUser": {none: account},
	"Mutation.updateProfile": {none: account}, "Mutation.changePassword": {none: account},
	"Mutation.deactivateAccount": {none: account}, "Mutation.reactivateAccount": {none: account},
	"Mutation.deleteUser": {none: account}, "Mutation.inviteUser": {none: account},
	"Mutation.createApiToken": {none: account}, "Mutation.endSessions": {none: account},
	"Mutation.endSession": {none: account}, "Mutation.revokeApiToken": {none: account},
}

func bulk(call string) string {
	return "mutation { " + call + " { results { ok error { code message } } userErrors { code message } } }"
}

// TestReachesAreComplete checks that somebody who adds a root field decides how rights apply to it.
func TestReachesAreComplete(t *testing.T) {
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, root := range []*ast.Definition{doc.Query, doc.Mutation} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			known[root.Name+"."+f.Name] = true
			if r, ok := reaches[root.Name+"."+f.Name]; !ok || (r.query == "") == (r.none == "") {
				t.Errorf(
					"%s.%s needs a row in reaches: with a query of a path, or with the reason why it reaches no files",
					root.Name, f.Name,
				)
			}
		}
	}
	for name := range reaches {
		if !known[name] {
			t.Errorf("reaches has a row for %s, but the SDL has no such field: remove the row", name)
		}
	}
}

// rightsStage is a stage with the folder seen, on which each actor has another right, and with hidden the folder
// zq9hidden beside it, of which nobody but admins knows.
type rightsStage struct {
	*stage
	ids    map[string]string // FILE, FOLDER and TRASH of each folder
	albums map[string]string // of each actor, and shown: one that everyone with an account may see
}

func (s *rightsStage) admin() context.Context {
	i := auth.Identity{UserID: uuid.New(), Name: "admin", Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()}
	return auth.WithIdentity(s.Context(), i)
}

// actors with their rights on the folder seen.
var actorRights = map[string]access.Right{
	"stranger": access.None, "guest": access.View, "viewer": access.View, "editor": access.Edit,
	"manager": access.Manage,
}

func newRightsStage(t *testing.T, hidden bool) *rightsStage {
	s := &rightsStage{newStage(t, nil), map[string]string{}, map[string]string{"guest": nobody}}
	s.must(s.rules.Gallery.RemoveFile(s.admin(), "a"))
	s.fill("seen", "seentag", "Canon EOS")
	if hidden {
		s.fill("zq9hidden", "zq9tag", "Canon")
		s.fill("zq9hidden/zq9deep", "zq9tag", "zq9cam")
	}
	grants := []*access.Grant{{To: access.Grantee{Kind: access.Guests}, Right: access.View}}
	for name, right := range actorRights {
		if name == "guest" {
			continue
		}
		u, err := s.rules.CreateUser(s.admin(), accounts.CreateUserInput{
			DisplayName: name, Username: name, Password: stagePassword, Role: auth.RoleUser,
		})
		s.must(err)
		session, err := s.rules.Login(s.Context(), name, stagePassword, "stage")
		s.must(err)
		s.tokens[name] = session.Token
		if right == access.None {
			continue
		}
		g, err := s.rules.Access.CreateGroup(s.admin(), name+"s", []uuid.UUID{u.ID})
		s.must(err)
		grants = append(grants, &access.Grant{To: access.Grantee{Kind: access.Group, ID: g.ID.String()}, Right: right})
	}
	s.must(s.rules.SetGrants(s.admin(), "", nil))
	s.must(s.rules.SetGrants(s.admin(), "seen", grants))
	s.makeAlbums(hidden)
	return s
}

// makeAlbums makes an album of each actor, one that everyone sees, with hidden files among others, and a smart one.
func (s *rightsStage) makeAlbums(hidden bool) {
	s.Helper()
	album := func(actor, input string) string {
		a := s.graphQL(actor, `mutation { createAlbum(input: {`+input+`}) { album { id } userErrors { message } } }`,
			nil)
		id, ok := a.json("data", "createAlbum", "album", "id").(string)
		if !ok {
			s.Fatal(a.body)
		}
		return id
	}
	for _, actor := range []string{"admin", "stranger", "viewer", "editor", "manager"} {
		s.albums[actor] = album(actor, `title: "own"`)
	}
	s.albums["shown"] = album("admin", `title: "shown", visibility: EVERYONE`)
	paths := `"seen/f.png", "seen/g.png"`
	if hidden {
		paths = `"zq9hidden/f.png", "seen/f.png", "zq9hidden/g.png", "zq9hidden/zq9deep/f.png", "seen/g.png"`
	}
	s.graphQL("admin", `mutation { addToAlbum(input: {id: "`+s.albums["shown"]+`", paths: [`+paths+`]}) `+
		`{ results { ok } } }`, nil)
	if hidden {
		s.graphQL("admin", `mutation { updateAlbum(input: {id: "`+s.albums["shown"]+
			`", coverPath: "zq9hidden/f.png"}) `+
			`{ userErrors { code } } }`, nil)
	}
	saved := s.graphQL("admin", `mutation { createSavedSearch(input: {name: "all", filter: {formats: [PNG]}}) `+
		`{ savedSearch { id } } }`, nil)
	id, _ := saved.json("data", "createSavedSearch", "savedSearch", "id").(string)
	album("admin", `title: "smart", visibility: EVERYONE, savedSearchId: "`+id+`"`)
}

// fill makes a folder with files that every list of the API shows.
func (s *rightsStage) fill(folder, tag, camera string) {
	s.Helper()
	s.store(folder+"/f.png", png)
	s.store(folder+"/g.png", png)
	s.store(folder+"/t.template.json", "{}")
	s.store(folder+"/gone.png", png)
	trashed, err := s.rules.TrashFile(s.admin(), folder+"/gone.png")
	s.must(err)
	results, err := s.rules.TagFiles(s.admin(), []string{folder + "/f.png"}, []string{tag, "both"}, nil)
	s.must(err)
	s.must(results[0].Err)
	point := 1 << 29
	sum := "x'" + strings.Repeat("01", 32) + "'"
	_, err = s.db.ExecContext(s.Context(), fmt.Sprintf(
		"UPDATE entries SET meta_state = 1, phash = 255, sha256 = %s, camera = '%s', "+
			"lens = '%s', map_x = %d, map_y = %d, place = 'JP|Kyoto|Kyoto', has_gps = TRUE WHERE path = '%s/f.png'",
		sum, camera, camera, point, point, folder))
	s.must(err)
	f, err := s.rules.File(s.admin(), folder+"/f.png")
	s.must(err)
	d, err := s.rules.Folder(s.admin(), folder)
	s.must(err)
	s.ids[folder+" FILE"], s.ids[folder+" FOLDER"], s.ids[folder+" TRASH"] = f.ID(), d.ID(), trashed.ID
}

// reach asks for a folder as an actor. What the answer repeats of the question is replaced.
func (s *rightsStage) reach(actor string, r reach, folder string) string {
	s.Helper()
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	ids := map[string]string{"FILE": encoded("File:999999"), "FOLDER": encoded("Folder:999999"), "TRASH": "0000-none"}
	query := strings.NewReplacer(
		"PATH", folder, `"OWN"`, quote(s.albums[actor]), `"SHOWN"`, quote(s.albums["shown"]),
	).Replace(r.query)
	for name, absent := range ids {
		if id := s.ids[folder+" "+name]; id != "" {
			absent = id
		}
		query = strings.ReplaceAll(query, `"`+name+`"`, `"`+absent+`"`)
	}
	a := s.ask(actor, query)
	var all map[string]any
	s.must(json.Unmarshal([]byte(a.body), &all))
	if list, ok := all["errors"].([]any); ok { // in the order in which the fields were done
		slices.SortFunc(list, func(a, b any) int {
			return strings.Compare(path(a), path(b))
		})
	}
	sorted, err := json.Marshal(all)
	s.must(err)
	body := unlike.ReplaceAllString(fmt.Sprint(a.status, " ", string(sorted)), "")
	return strings.ReplaceAll(body, folder, "PATH")
}

func path(failed any) string {
	e, _ := failed.(map[string]any)
	return fmt.Sprint(e["path"])
}

// unlike is what no two answers have in common.
var unlike = regexp.MustCompile(`,?"requestId":"[A-Z0-9]+"|/[A-Za-z0-9_=-]{20,}/|\?v=[^"]*`)

// TestHiddenIsAbsent asks every root field, as everybody but an admin, for a folder that they may not see: the answer
// is the one for a folder that does not exist, and the one of a server that does not have the folder.
func TestHiddenIsAbsent(t *testing.T) {
	with, without := newRightsStage(t, true), newRightsStage(t, false)
	for field, r := range reaches {
		if r.query == "" {
			continue
		}
		for actor := range actorRights {
			hidden, absent := with.reach(actor, r, "zq9hidden"), with.reach(actor, r, "zq9absent")
			if hidden != absent {
				t.Errorf("%s as %s:\n hidden %s\n absent %s", field, actor, hidden, absent)
			}
			if bare := without.reach(actor, r, "zq9absent"); bare != absent {
				t.Errorf("%s as %s:\n with the folder %s\n without        %s", field, actor, absent, bare)
			}
			for _, body := range []string{hidden, absent} {
				if !strings.Contains(r.query, "zq9") && strings.Contains(body, "zq9") {
					t.Errorf("%s as %s tells a name: %s", field, actor, body)
				}
			}
		}
		if r.needs == access.View && strings.HasPrefix(field, "Query") {
			if s := with.reach("admin", r, "zq9hidden"); strings.Contains(s, "NOT_FOUND") {
				t.Errorf("%s as admin: %s", field, s)
			}
		}
	}
}

// TestRightsOnAFolder asks every root field for a folder on which the actors have different rights.
func TestRightsOnAFolder(t *testing.T) {
	s := newRightsStage(t, true)
	for field, r := range reaches {
		if r.needs == access.None {
			continue
		}
		for actor, right := range actorRights {
			if actor == "guest" && strings.HasPrefix(field, "Mutation") {
				continue // TestRoleMatrix
			}
			body := s.reach(actor, r, "seen")
			refused := strings.Contains(body, "FORBIDDEN")
			missing := strings.Contains(body, "NOT_FOUND")
			switch {
			case right == access.None && !missing:
				t.Errorf("%s as %s, who may not see the folder: %s", field, actor, body)
			case right == access.None:
			case refused != (right < r.needs):
				t.Errorf("%s as %s, who may %v: %s, expected to need %v", field, actor, right, body, r.needs)
			case missing && r.needs == access.View:
				t.Errorf("%s as %s, who may %v: %s", field, actor, right, body)
			}
		}
	}
}

// TestFolderItself: who may edit a folder cannot remove it, and who may only view it cannot restore what lay in it.
func TestFolderItself(t *testing.T) {
	s := newRightsStage(t, false)
	for _, actor := range []string{"editor", "manager"} {
		for _, call := range []string{
			`trashFiles(input: {paths: ["PATH"]})`, `deleteFiles(input: {paths: ["PATH"]})`,
			`moveFiles(input: {paths: ["PATH"], folder: "PATH/x"})`,
		} {
			if body := s.reach(actor, reach{query: bulk(call)}, "seen"); !strings.Contains(body, "FORBIDDEN") {
				t.Errorf("%s as %s: %s", call, actor, body)
			}
		}
	}
	restore := reach{query: bulk(`restoreFiles(input: {ids: ["TRASH"]})`)}
	if body := s.reach("viewer", restore, "seen"); !strings.Contains(body, "FORBIDDEN") {
		t.Errorf("restored by a viewer: %s", body)
	}
	if body := s.reach("editor", restore, "seen"); !strings.Contains(body, `"ok":true`) {
		t.Errorf("restored by an editor: %s", body)
	}
}

// TestUnsignedURLs: a token with scope write sees by unsigned URLs what its account may see, layers included.
func TestUnsignedURLs(t *testing.T) {
	s := newRightsStage(t, true)
	for path, allowed := range map[string]bool{
		"seen/f.png":                    true,
		"zq9hidden/f.png":               false,
		"filters:raw()/zq9hidden/f.png": false,
		"meta/zq9hidden/f.png":          false,
		"filters:watermark(zq9hidden/f.png,0,0,0)/seen/f.png": false,
	} {
		for _, actor := range []string{"editor", "admin"} {
			a := s.do("GET", "/unsafe/"+path, "", "Authorization", "Bearer "+s.tokens[actor])
			if actor == "admin" && a.status == 404 || actor == "editor" && (a.status == 404) == allowed {
				t.Errorf("%s as %s: %d %s", path, actor, a.status, a.body)
			}
		}
	}
	if a := s.do("GET", s.signed("zq9hidden/f.png"), ""); a.status == 404 {
		t.Errorf("a signed URL: %d %s", a.status, a.body)
	}
}

// TestSignedLayers: nobody has a URL signed that shows what they may not see as a layer, however the layer is written.
func TestSignedLayers(t *testing.T) {
	s := newRightsStage(t, true)
	const mark = "preset(@0123456789abcdef)/"
	saved := s.graphQL("admin", `mutation { savePreset(input: {name: "logo", operations: `+
		`"filters:watermark(zq9hidden/g.png,0,0,0)"}) { userErrors { message } } }`, nil)
	if saved.code() != "" {
		t.Fatal(saved.body)
	}
	fields := map[string]string{
		"generateProcessorUrl": `mutation { generateProcessorUrl(imagePath: "seen/f.png", params: OPERATIONS) }`,
		"canvas":               `mutation { generateProcessorUrl(imagePath: "color:white", params: OPERATIONS) }`,
		"url":                  `{ file(path: "seen/f.png") { url(operations: OPERATIONS) } }`,
		"latest":               `{ file(path: "seen/f.png") { url(version: LATEST, operations: OPERATIONS) } }`,
		"srcset":               `{ file(path: "seen/f.png") { srcset(widths: [9], operations: OPERATIONS) } }`,
		"metaUrl":              `{ file(path: "seen/f.png") { metaUrl(operations: OPERATIONS) } }`,
		"srcFamily": `{ file(path: "seen/f.png") { srcFamily(operations: "filters:watermark(LAYER,0,0,0)", ` +
			`vary: [WIDTH]) { path } } }`,
		"template": `mutation { generateProcessorUrlFromTemplate(imagePath: "seen/f.png", templateJson: ` +
			`"{\"version\": \"1.0\", \"transformations\": {\"imagePath\": \"seen/f.png\", \"layers\": ` +
			`[{\"type\": \"image\", \"imagePath\": \"LAYER\", \"x\": 0, \"y\": 0}]}}") }`,
	}
	ask := func(actor, field, layer string) answer {
		query := strings.ReplaceAll(fields[field], "OPERATIONS",
			`{filters: [{name: "watermark", args: "LAYER,0,0,0"}]}`)
		return s.graphQL(actor, strings.ReplaceAll(query, "LAYER", layer), nil)
	}
	encoded := base64.RawURLEncoding.EncodeToString([]byte("zq9hidden/f.png"))
	for _, layer := range []string{
		"zq9hidden/f.png",
		"/zq9hidden/f.png",
		"//zq9hidden//f.png",
		"zq9hidden%2Ff.png",
		"zq9hidden/f.png/",
		"zq9hidden/./f.png",
		"seen/../zq9hidden/f.png",
		"seen%2F..%2Fzq9hidden%2Ff.png",
		"b64:" + encoded,
		"9x9/zq9hidden/f.png",
		"f-1xf-1/zq9hidden/f.png",
		"unsafe/zq9hidden/f.png",
		"params/meta/zq9hidden/f.png",
		"http:/zq9hidden/f.png",
		"HTTPS://zq9hidden/f.png",
		"Color:white/zq9hidden/f.png",
		"seen/.hidden.png",
		".trash/f.png",
		mark + "zq9hidden/f.png",
		mark + "/zq9hidden/f.png",
		mark + "//zq9hidden/f.png",
		mark + "b64:" + encoded,
		mark + "9x9//zq9hidden/f.png",
		"9x9/" + mark + "/zq9hidden/f.png",
		"preset(logo)/zq9hidden/f.png",
		"preset(logo)//zq9hidden/f.png",
		"preset(none)//zq9hidden/f.png",
		"preset%28@0123456789abcdef%29//zq9hidden/f.png",
		"filters:watermark(zq9hidden/f.png,0,0,0)/seen/g.png",
		"filters:watermark(" + mark + "/zq9hidden/f.png,0,0,0)/seen/g.png",
		mark + "filters:watermark(preset(logo)//zq9hidden/f.png,0,0,0)/seen/g.png",
		"filters:image(" + mark + "/zq9hidden/f.png,0,0)/seen/g.png",
		"enc:k:" + strings.Repeat("A", 40),
		"enc:k:" + strings.Repeat("A", 400),
		mark + "enc:k:" + strings.Repeat("A", 400),
		"filters:watermark(enc:k:" + strings.Repeat("A", 400) + ",0,0,0)/seen/g.png",
	} {
		for field := range fields {
			if a := ask("manager", field, layer); a.code() != "NOT_FOUND" && a.code() != "INVALID" {
				t.Errorf("%s of %s: %d %s", field, layer, a.status, a.body)
			}
		}
	}
	for field := range fields {
		if a := ask("admin", field, "zq9hidden/f.png"); a.code() != "" {
			t.Errorf("%s as admin: %d %s", field, a.status, a.body)
		}
	}
	for _, layer := range []string{
		"seen/g.png", "//seen/g.png", "seen%2Fg.png", "color:red", "https://example.com/a.png", mark + "seen/g.png",
		"preset(logo)/seen/g.png", "filters:watermark(preset(logo)/seen/f.png,0,0,0)/seen/g.png",
	} {
		for field := range fields {
			if field == "template" || field == "srcFamily" && strings.Contains(layer, "preset(") {
				continue // they take the layer as the path of a file, and no presets
			}
			if a := ask("manager", field, layer); a.code() != "" {
				t.Errorf("%s of %s, which may be seen: %d %s", field, layer, a.status, a.body)
			}
		}
	}
	const ofPreset = `{ file(path: "seen/f.png") { presetUrl(name: "logo") } }`
	if a := s.graphQL("manager", ofPreset, nil); a.code() != "" {
		t.Errorf("a layer that a preset adds: %d %s", a.status, a.body)
	}
}

// TestSignedImages: nobody has the URL of an image signed that they may not see, however its path is written.
func TestSignedImages(t *testing.T) {
	s := newRightsStage(t, true)
	for _, image := range []string{
		"zq9hidden/f.png", "/zq9hidden/f.png", "//zq9hidden/f.png", "zq9hidden//f.png", "zq9hidden/f.png/",
		"zq9hidden%2Ff.png", "seen/../zq9hidden/f.png", "preset(@0123456789abcdef)//zq9hidden/f.png",
		"preset(@0123456789abcdef)/zq9hidden/f.png", "b64:enE5aGlkZGVuL2YucG5n", "9x9//zq9hidden/f.png",
		"meta//zq9hidden/f.png", "unsafe//zq9hidden/f.png", "family(w=9)//zq9hidden/f.png", "seen//f.png",
		"filters:quality(9)//zq9hidden/f.png", "enc:k:" + strings.Repeat("A", 400), ".trash/f.png",
	} {
		a := s.graphQL("manager", `mutation { generateProcessorUrl(imagePath: "`+image+`", params: {}) }`, nil)
		if a.code() != "NOT_FOUND" && a.code() != "INVALID" {
			t.Errorf("%s: %d %s", image, a.status, a.body)
		}
	}
}

// TestRightsApplyAtOnce: a grant and its end apply to the next request with the same token, also to an archive that
// waits and to an upload that began.
func TestRightsApplyAtOnce(t *testing.T) {
	s := newRightsStage(t, true)
	const file = `{ file(path: "seen/f.png") { name } }`
	archive := s.graphQL("editor", `mutation { createArchive(input: {paths: ["seen"]}) { archive { url } } }`, nil)
	url, _ := archive.json("data", "createArchive", "archive", "url").(string)
	upload := s.graphQL("editor", `mutation { createUpload(input: {path: "seen/up.png", sizeBytes: 5}) `+
		`{ upload { id url } } }`, nil)
	id, _ := upload.json("data", "createUpload", "upload", "id").(string)
	if a := s.do("HEAD", url, ""); a.status != 200 || id == "" {
		t.Fatalf("before: %d, upload %s", a.status, upload.body)
	}
	s.must(s.rules.SetGrants(s.admin(), "seen", nil))
	if a := s.graphQL("editor", file, nil); a.code() != "NOT_FOUND" {
		t.Errorf("after: %s", a.body)
	}
	if a := s.do("HEAD", url, ""); a.status != 404 {
		t.Errorf("an archive after: %d", a.status)
	}
	if a := s.graphQL("editor", `mutation { finishUpload(input: {id: "`+id+`"}) { file { path } `+
		`userErrors { code } } }`, nil); !strings.Contains(a.body, "NOT_FOUND") {
		t.Errorf("an upload after: %s", a.body)
	}
	s.must(
		s.rules.SetGrants(s.admin(), "seen", []*access.Grant{
			{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
	if a := s.graphQL("stranger", file, nil); a.code() != "" {
		t.Errorf("granted: %s", a.body)
	}
}

// TestWatchingHiddenChanges: a subscription says nothing of what its receiver may not see, and begins anew when rights
// change.
func TestWatchingHiddenChanges(t *testing.T) {
	s := newRightsStage(t, true)
	for _, deep := range []string{"true", "false"} {
		e := s.subscribe("viewer", `subscription { folderChanges(folder: "", recursive: `+deep+`) { kind path } }`)
		if _, data := e.next(); !strings.Contains(data, "RELOAD") {
			t.Fatalf("first: %s", data)
		}
		s.store("zq9hidden/new"+deep+".png", png)
		s.store("seen/new"+deep+".png", png)
		if _, data := e.next(); !strings.Contains(data, `"path":"seen`) || strings.Contains(data, "zq9") {
			t.Errorf("recursive %s: %s", deep, data)
		}
		e.close()
	}
	a := s.graphQL("viewer", `{ me { id } }`, nil).header.Get("Safelight-Changes")
	if b := s.graphQL("viewer", `{ me { id } }`, nil).header.Get("Safelight-Changes"); a == "" || a == b {
		t.Errorf("positions %q and %q tell how much changes", a, b)
	}
}

// TestWatchersFollowTheirRights: a subscription begins anew as soon as a grant or a group changes what its receiver may
// do, although no file changes. Others hear nothing.
func TestWatchersFollowTheirRights(t *testing.T) {
	s := newRightsStage(t, false)
	watch := func(actor string) *eventStream {
		e := s.subscribe(actor, `subscription { folderChanges(recursive: true) { kind path position } }`)
		e.until("RELOAD")
		return e
	}
	viewer, manager := watch("viewer"), watch("manager")
	groups, err := s.rules.Access.Groups(s.admin(), 10, "")
	s.must(err)
	for _, g := range groups.Items {
		if g.Name == "viewers" {
			members, err := s.rules.Access.Members(s.admin(), g.ID, 10, "")
			s.must(err)
			_, err = s.rules.Access.UpdateGroup(s.admin(), g.ID,
				access.ChangeGroup{Remove: []uuid.UUID{members.Items[0].ID}})
			s.must(err)
		}
	}
	viewer.until("RELOAD")
	s.store("seen/more.png", png)
	if _, data := manager.next(); !strings.Contains(data, "seen/more.png") {
		t.Errorf("whose rights stay: %s", data)
	}
	s.must(s.rules.SetGrants(s.admin(), "", []*access.Grant{
		{To: access.Grantee{Kind: access.Everyone}, Right: access.View},
	}))
	viewer.until("RELOAD")
	manager.until("RELOAD")
}

// TestGrantsFollowTheirFolder: a folder keeps its grants when it moves, also to the trash and back, and takes them with
// it when it is deleted.
func TestGrantsFollowTheirFolder(t *testing.T) {
	s := newRightsStage(t, false)
	sees := func(path string, want bool) {
		t.Helper()
		a := s.graphQL("viewer", `{ folder(path: "`+path+`") { access } }`, nil)
		if (a.code() == "") != want {
			t.Errorf("%s: %s, expected to be seen: %v", path, a.body, want)
		}
	}
	s.must(s.rules.MoveFile(s.admin(), "seen", "deep/moved"))
	sees("deep/moved", true)
	sees("seen", false)
	item, err := s.rules.TrashFile(s.admin(), "deep/moved")
	s.must(err)
	s.must(s.rules.CreateFolder(s.admin(), "deep/moved"))
	sees("deep/moved", false)
	s.must(s.rules.RemoveFile(s.admin(), "deep/moved"))
	_, err = s.rules.RestoreFile(s.admin(), item.ID, gallery.ConflictError)
	s.must(err)
	sees("deep/moved", true)
	sees("deep", true)
	s.must(s.rules.RemoveFile(s.admin(), "deep"))
	s.must(s.rules.CreateFolder(s.admin(), "deep/moved"))
	sees("deep/moved", false)
}
