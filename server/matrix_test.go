package server_test

import (
	"flag"
	"fmt"
	"maps"
	"mime/multipart"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/schema"
)

// row is a root field with a query and the actors that may run it. For them the answer is not a permission error; it
// may be another error.
type row struct {
	query string
	may   string // actors that may run it, separated by spaces
}

const nobody = "00000000-0000-0000-0000-000000000001"

// matrix has a row for every root field of the SDL.
var matrix = map[string]row{
	"Query.me":          {`{ me { id } }`, "guest user admin"},
	"Query.user":        {`{ user(id: "` + nobody + `") { id } }`, "admin"},
	"Query.users":       {`{ users { totalCount } }`, "admin"},
	"Query.upload":      {`{ upload(id: "none") { receivedBytes } }`, "user admin"},
	"Query.file":        {`{ file(path: "a/b.png") { size } }`, "guest user admin"},
	"Query.folder":      {`{ folder(path: "a") { name } }`, "guest user admin"},
	"Query.files":       {`{ files(folder: "a") { totalCount } }`, "guest user admin"},
	"Query.folders":     {`{ folders { totalCount } }`, "guest user admin"},
	"Query.node":        {`{ node(id: "bm9uZQ") { id } }`, "guest user admin"},
	"Query.timeline":    {`{ timeline(folder: "a") { count } }`, "guest user admin"},
	"Query.suggestions": {`{ suggestions(for: TAG) { value } }`, "guest user admin"},
	"Query.fileCounts":  {`{ fileCounts(folder: "a", each: [{}]) }`, "guest user admin"},
	"Query.mapTiles":    {`{ mapTiles { url } }`, "guest user admin"},
	"Query.mapClusters": {
		`{ mapClusters(bounds: {south: -90, west: -180, north: 90, east: 180}, zoom: 0) { count } }`,
		"guest user admin",
	},
	"Query.tags":              {`{ tags { nodes { name } } }`, "guest user admin"},
	"Query.indexStatus":       {`{ indexStatus { pendingFiles } }`, "guest user admin"},
	"Query.parseProcessorUrl": {`{ parseProcessorUrl(url: "/unsafe/a.png") { image } }`, "guest user admin"},

	"Query.grants":   {`{ grants(folder: "") { path } }`, "admin"},
	"Query.grantees": {`{ grantees { name } }`, "admin"},
	"Query.groups":   {`{ groups { totalCount } }`, "admin"},
	"Mutation.setGrants": {
		`mutation { setGrants(input: {folder: "none", grants: []}) { userErrors { code } } }`, "admin",
	},
	"Mutation.createGroup": {`mutation { createGroup(input: {name: ""}) { userErrors { code } } }`, "admin"},
	"Mutation.updateGroup": {`mutation { updateGroup(input: {id: "` + nobody + `"}) { userErrors { code } } }`,
		"admin"},
	"Mutation.deleteGroup": {`mutation { deleteGroup(input: {id: "` + nobody + `"}) { deletedId } }`, "admin"},
	"Query.mailMessages":   {`{ mailMessages { totalCount } }`, "admin"},
	"Mutation.sendTestMail": {
		`mutation { sendTestMail(input: {to: "x"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.retryMail": {
		`mutation { retryMail(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.changeEmail": {
		`mutation { changeEmail(input: {email: "a@example.com"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.sendShare": {
		`mutation { sendShare(input: {id: "` + nobody + `", to: ["a@example.com"]}) { userErrors { code } } }`,
		"user admin",
	},
	"Query.webhooks": {`{ webhooks { totalCount } }`, "admin"},
	"Mutation.createWebhook": {
		`mutation { createWebhook(input: {name: "", url: ""}) { userErrors { code } } }`, "admin",
	},
	"Mutation.updateWebhook": {
		`mutation { updateWebhook(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.deleteWebhook": {`mutation { deleteWebhook(input: {id: "` + nobody + `"}) { deletedId } }`, "admin"},
	"Mutation.rotateWebhookSecret": {
		`mutation { rotateWebhookSecret(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.testWebhook": {
		`mutation { testWebhook(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.retryDelivery": {
		`mutation { retryDelivery(input: {id: "delivery:1"}) { userErrors { code } } }`, "admin",
	},
	"Query.storageStatus":  {`{ storageStatus { kind } }`, "guest user admin"},
	"Query.cacheStatus":    {`{ cacheStatus { enabled } }`, "admin"},
	"Mutation.purgeCache":  {`mutation { purgeCache(input: {all: true}) { purged { memory } } }`, "admin"},
	"Query.installedFonts": {`{ installedFonts }`, "user admin"},
	"Query.fonts":          {`{ fonts { nodes { id } } }`, "user admin"},
	"Mutation.addFont": {
		`mutation ($f: Upload!) { addFont(input: {content: $f}) { font { id } userErrors { code } } }`, "admin",
	},
	"Mutation.deleteFont":   {`mutation { deleteFont(input: {id: "none"}) { deletedId } }`, "admin"},
	"Query.processorStatus": {`{ processorStatus { configured } }`, "guest user admin"},
	"Query.apiTokens":       {`{ apiTokens { nodes { id } } }`, "user admin"},
	"Query.auditEvents":     {`{ auditEvents { nodes { id } } }`, "admin"},

	"Mutation.createUser": {
		`mutation { createUser(input: {displayName: "x", username: "", password: "x"}) { id } }`,
		"admin",
	},
	"Mutation.updateProfile":  {`mutation { updateProfile(input: {displayName: ""}) { id } }`, "user admin"},
	"Mutation.changePassword": {`mutation { changePassword(input: {newPassword: "x"}) }`, "user admin"},
	// a malformed id is reported before permissions are checked
	"Mutation.deactivateAccount": {`mutation { deactivateAccount(userId: "no id") }`, "guest user admin"},
	"Mutation.reactivateAccount": {`mutation { reactivateAccount(userId: "` + nobody + `") }`, "admin"},
	"Mutation.deleteUser":        {`mutation { deleteUser(input: {userId: "` + nobody + `"}) { deletedId } }`, "admin"},
	"Mutation.inviteUser": {
		`mutation { inviteUser(input: {userId: "` + nobody + `"}) { userErrors { code } } }`,
		"admin",
	},
	"Query.secondFactorPolicy": {`{ secondFactorPolicy { includesProviders } }`, "admin"},
	"Mutation.removeAuthenticatorApp": {
		`mutation { removeAuthenticatorApp { userErrors { code } } }`, "user admin",
	},
	"Mutation.removePasskey": {
		`mutation { removePasskey(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.createRecoveryCodes": {`mutation { createRecoveryCodes { userErrors { code } } }`, "user admin"},
	"Mutation.resetSecondFactor": {
		`mutation { resetSecondFactor(input: {userId: "` + nobody + `"}) { userErrors { code } } }`, "admin",
	},
	"Mutation.configureSecondFactor": {
		`mutation { configureSecondFactor(input: {roles: [GUEST], includesProviders: false}) { userErrors { code } } }`,
		"admin",
	},
	"Mutation.createApiToken": {`mutation { createApiToken(input: {name: ""}) { secret } }`, "user admin"},
	// as deactivateAccount
	"Mutation.endSessions": {
		`mutation { endSessions(input: {userId: "no id"}) { userId } }`,
		"guest user admin",
	},
	"Mutation.endSession": {`mutation { endSession(input: {id: "` + nobody + `"}) { endedId } }`, "user admin"},
	"Mutation.revokeApiToken": {
		`mutation { revokeApiToken(input: {id: "` + nobody + `"}) { revokedId } }`,
		"user admin",
	},
	"Mutation.createFolder": {
		`mutation { createFolder(input: {path: "../x"}) { folder { path } userErrors { code field } } }`,
		"user admin",
	},
	"Mutation.updateFile": {
		`mutation { updateFile(input: {path: "none"}) { file { id } userErrors { code } } }`,
		"user admin",
	},
	"Mutation.rescan": {
		`mutation { rescan(input: {path: "none"}) { scan { state } userErrors { code } } }`,
		"user admin",
	},
	"Mutation.addFile": {
		`mutation ($f: Upload!) { addFile(input: {path: "x/z.png", content: $f, onConflict: REPLACE}) { file { path } userErrors { code } } }`,
		"user admin",
	},
	"Mutation.createUpload": {
		`mutation { createUpload(input: {path: "x/c.png", sizeBytes: 5}) { upload { id } } }`,
		"user admin",
	},
	"Mutation.finishUpload": {`mutation { finishUpload(input: {id: "none"}) { file { path } } }`, "user admin"},
	"Mutation.cancelUpload": {`mutation { cancelUpload(input: {id: "none"}) { canceledId } }`, "user admin"},
	"Mutation.configureStorage": {
		`mutation { configureStorage(input: {file: {baseDir: "x"}}) { storage { kind } } }`,
		"admin",
	},
	"Mutation.testStorage": {
		`mutation { testStorage(input: {file: {baseDir: "x"}}) { test { ok } } }`,
		"admin",
	},
	"Mutation.configureProcessor": {`mutation { configureProcessor(input: {}) { success } }`, "admin"},
	"Query.familyKeys":            {`{ familyKeys { nodes { id } } }`, "admin"},
	"Mutation.createFamilyKey":    {`mutation { createFamilyKey(input: {name: ""}) { secret } }`, "admin"},
	"Mutation.revokeFamilyKey": {
		`mutation { revokeFamilyKey(input: {name: "none"}) { familyKey { id } } }`,
		"admin",
	},
	"Query.presets": {`{ presets { nodes { name } } }`, "guest user admin"},
	"Query.preset":  {`{ preset(name: "none") { name } }`, "guest user admin"},
	"Mutation.savePreset": {
		`mutation { savePreset(input: {name: "", operations: ""}) { preset { name } } }`,
		"admin",
	},
	"Mutation.deletePreset":         {`mutation { deletePreset(input: {name: "none"}) { deletedName } }`, "admin"},
	"Mutation.generateProcessorUrl": {`mutation { generateProcessorUrl(imagePath: "a", params: {}) }`, "user admin"},

	"Query.trashedFiles":    {`{ trashedFiles { totalCount } }`, "user admin"},
	"Mutation.trashFiles":   {`mutation { trashFiles(input: {paths: ["none"]}) { results { ok } } }`, "user admin"},
	"Mutation.deleteFiles":  {`mutation { deleteFiles(input: {paths: ["none"]}) { results { ok } } }`, "user admin"},
	"Mutation.restoreFiles": {`mutation { restoreFiles(input: {ids: ["none"]}) { results { ok } } }`, "user admin"},
	"Mutation.purgeFiles":   {`mutation { purgeFiles(input: {ids: ["none"]}) { results { ok } } }`, "user admin"},
	"Mutation.emptyTrash":   {`mutation { emptyTrash { purgedCount } }`, "user admin"},
	"Query.similarFiles":    {`{ similarFiles(path: "none") { nodes { distance } } }`, "guest user admin"},
	"Query.duplicates":      {`{ duplicates { nodes { count } } }`, "guest user admin"},
	"Query.similarGroups":   {`{ similarGroups { nodes { count } } }`, "guest user admin"},
	"Mutation.tagFiles": {`mutation { tagFiles(input: {paths: ["none"], add: ["x"]}) { results { ok } } }`,
		"user admin"},
	"Mutation.rateFiles": {`mutation { rateFiles(input: {paths: ["none"], rating: 3}) { results { ok } } }`,
		"user admin"},
	"Mutation.moveFiles": {`mutation { moveFiles(input: {paths: ["none"], folder: "x"}) { results { ok } } }`,
		"user admin"},
	"Mutation.copyFiles": {`mutation { copyFiles(input: {paths: ["none"], folder: "x"}) { results { ok } } }`,
		"user admin"},

	"Mutation.createArchive": {`mutation { createArchive(input: {paths: ["none"]}) { archive { url } } }`,
		"guest user admin"},
	"Query.shares": {`{ shares { totalCount } }`, "user admin"},
	"Mutation.createShare": {
		`mutation { createShare(input: {paths: ["none"]}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.updateShare": {
		`mutation { updateShare(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.deleteShare": {`mutation { deleteShare(input: {id: "` + nobody + `"}) { deletedId } }`, "user admin"},
	"Query.newFeedback":    {`{ newFeedback }`, "user admin"},
	"Mutation.markFeedbackSeen": {
		`mutation { markFeedbackSeen(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.hideShareComment": {
		`mutation { hideShareComment(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.deleteShareComment": {
		`mutation { deleteShareComment(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.deleteShareReviewer": {
		`mutation { deleteShareReviewer(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Query.albums": {`{ albums { totalCount } }`, "guest user admin"},
	"Query.album":  {`{ album(id: "` + nobody + `") { id } }`, "guest user admin"},
	"Mutation.createAlbum": {
		`mutation { createAlbum(input: {title: ""}) { album { id } userErrors { code } } }`, "user admin",
	},
	"Mutation.updateAlbum": {
		`mutation { updateAlbum(input: {id: "` + nobody + `"}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.deleteAlbum": {`mutation { deleteAlbum(input: {id: "` + nobody + `"}) { deletedId } }`, "user admin"},
	"Mutation.addToAlbum": {
		`mutation { addToAlbum(input: {id: "` + nobody + `", paths: []}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.removeFromAlbum": {
		`mutation { removeFromAlbum(input: {id: "` + nobody + `", paths: []}) { userErrors { code } } }`, "user admin",
	},
	"Mutation.moveInAlbum": {
		`mutation { moveInAlbum(input: {id: "` + nobody + `", paths: []}) { userErrors { code } } }`, "user admin",
	},
	"Query.savedSearches": {`{ savedSearches { totalCount } }`, "guest user admin"},
	"Mutation.createSavedSearch": {`mutation { createSavedSearch(input: {name: ""}) { savedSearch { id } } }`,
		"user admin"},
	"Mutation.renameSavedSearch": {
		`mutation { renameSavedSearch(input: {id: "none", name: ""}) { savedSearch { id } } }`,
		"user admin",
	},
	"Mutation.deleteSavedSearch": {`mutation { deleteSavedSearch(input: {id: "none"}) { deletedId } }`, "user admin"},
	"Query.filesByPath":          {`{ filesByPath(paths: ["none"]) { path } }`, "guest user admin"},
	"Query.foldersById":          {`{ foldersById(ids: ["none"]) { path } }`, "guest user admin"},
	"Query.pinnedFolders":        {`{ pinnedFolders { path } }`, "guest user admin"},
	"Mutation.pinFolder":         {`mutation { pinFolder(input: {path: "none"}) { folder { path } } }`, "user admin"},
	"Query.settings":             {`{ settings { name } }`, "admin"},
	"Query.serverMetrics":        {`{ serverMetrics { cursor } }`, "admin"},
	"Query.diagnosis":            {`{ diagnosis { ok } }`, "admin"},

	"Query.templates": {`{ templates { totalCount } }`, "guest user admin"},
	"Query.template":  {`{ template(path: "none.template.json") { name } }`, "guest user admin"},
	"Mutation.generateProcessorUrlFromTemplate": {`mutation { generateProcessorUrlFromTemplate(templateJson: "{}") }`,
		"user admin"},
	"Mutation.applyTemplate": {`mutation { applyTemplate(input: {templateJson: "{}"}) { url } }`,
		"user admin"},
	"Mutation.restoreTemplateVersion": {
		`mutation { restoreTemplateVersion(input: {path: "none", version: 1}) { userErrors { code } } }`,
		"user admin",
	},
	"Mutation.saveTemplate": {`mutation { saveTemplate(input: {name: "", templateJson: ""}) { success } }`,
		"user admin"},
	"Mutation.regenerateTemplatePreview": {
		`mutation { regenerateTemplatePreview(input: {path: "none"}) { template { path } } }`,
		"user admin",
	},
	"Mutation.renameTemplate": {
		`mutation { renameTemplate(input: {path: "none", name: "x"}) { template { path } } }`,
		"user admin",
	},
	"Mutation.deleteTemplate": {`mutation { deleteTemplate(input: {path: "none"}) { deletedPath } }`,
		"user admin"},
}

// foreign are changes of another account: admins only.
var foreign = map[string]string{
	"updateProfile":     `mutation { updateProfile(input: {}, userId: "` + nobody + `") { id } }`,
	"role":              `mutation { updateProfile(input: {role: USER}) { id } }`,
	"changePassword":    `mutation { changePassword(input: {newPassword: "x"}, userId: "` + nobody + `") }`,
	"deactivateAccount": `mutation { deactivateAccount(userId: "` + nobody + `") }`,
	"sessions":          `{ user(id: "` + nobody + `") { sessions { totalCount } } }`,
	"secondFactor":      `{ user(id: "` + nobody + `") { secondFactor { isRequired } } }`,
	"securityEvents":    `{ user(id: "` + nobody + `") { securityEvents { nodes { id } } } }`,
	"endSessions":       `mutation { endSessions(input: {userId: "` + nobody + `"}) { userId } }`,
	"shares":            `{ shares(all: true) { totalCount } }`,
	"apiTokens":         `{ apiTokens(userId: "` + nobody + `") { nodes { id } } }`,
}

func TestRoleMatrix(t *testing.T) {
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	s := newStage(t, nil)
	for _, root := range []*ast.Definition{doc.Query, doc.Mutation} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			known[root.Name+"."+f.Name] = true
			r, ok := matrix[root.Name+"."+f.Name]
			if !ok {
				t.Errorf("%s.%s has no row in matrix: add one with a query and the actors that may run it", root.Name, f.Name)
				continue
			}
			for _, actor := range []string{"anonymous", "guest", "user", "admin"} {
				check(s, f.Name, actor, s.ask(actor, r.query), strings.Contains(r.may, actor))
			}
		}
	}
	for name := range matrix {
		if !known[name] {
			t.Errorf("matrix has a row for %s, but the SDL has no such field: remove the row", name)
		}
	}
	for name, query := range foreign {
		for _, actor := range []string{"anonymous", "guest", "user", "admin"} {
			if actor == "admin" && name == "role" {
				continue // the last admin keeps its role, which another test covers
			}
			check(s, "another's "+name, actor, s.graphQL(actor, query, nil), actor == "admin")
		}
	}
}

// ask sends a query; one with an upload is sent as a form.
func (s *stage) ask(actor, query string) answer {
	if !strings.Contains(query, "Upload!") {
		return s.graphQL(actor, query, nil)
	}
	return s.upload(actor, query, "f", png)
}

// upload sends a query whose variable is a file.
func (s *stage) upload(actor, query, variable, content string) answer {
	var b strings.Builder
	form := multipart.NewWriter(&b)
	s.must(form.WriteField("operations", `{"query": `+quote(query)+`, "variables": {"`+variable+`": null}}`))
	s.must(form.WriteField("map", `{"0": ["variables.`+variable+`"]}`))
	part, err := form.CreateFormFile("0", "x.png")
	s.must(err)
	_, err = part.Write([]byte(content))
	s.must(err)
	s.must(form.Close())
	return s.do("POST", "/api/graphql", b.String(), "Content-Type", form.FormDataContentType(), "Authorization",
		"Bearer "+s.tokens[actor])
}

func check(s *stage, field, actor string, a answer, may bool) {
	s.Helper()
	code := a.code()
	switch {
	case actor == "anonymous":
		if a.status != 401 || code != "UNAUTHENTICATED" || a.header.Get("WWW-Authenticate") != "Bearer" {
			s.Errorf("%s as %s: %d %s", field, actor, a.status, a.body)
		}
	case may:
		if a.status == 401 || a.status == 403 || code == "FORBIDDEN" || code == "UNAUTHENTICATED" ||
			code == "INTERNAL" {
			s.Errorf("%s as %s: %d %s, expected to be allowed", field, actor, a.status, a.body)
		}
	default:
		if a.status != 403 || code != "FORBIDDEN" {
			s.Errorf("%s as %s: %d %s, expected 403 FORBIDDEN", field, actor, a.status, a.body)
		}
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// TestForbiddenLeavesTheRest queries one field that is allowed and one that is not.
func TestForbiddenLeavesTheRest(t *testing.T) {
	s := newStage(t, nil)
	a := s.graphQL("guest", `{ me { role } users { totalCount } }`, nil)
	if a.status != 200 || a.code() != "FORBIDDEN" || a.json("data", "me", "role") != "GUEST" ||
		a.json("data", "users") != nil {
		t.Errorf("%d %s", a.status, a.body)
	}
}

var update = flag.Bool("update", false, "write the table of rights in docs/reference/security.md anew")

// TestMatrixDoc checks that docs/reference/security.md has the table of who may run what, as the other tests verify
// it.
func TestMatrixDoc(t *testing.T) {
	const file, heading = "../docs/reference/security.md", "\n## Who may do what\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), heading)
	_, after, follows := strings.Cut(rest, "\n## ")
	if !found || !follows {
		t.Fatalf("%s lacks the section%s", file, heading)
	}
	want := before + heading + matrixDoc() + "\n## " + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: go test ./server -run TestMatrixDoc -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// matrixDoc returns the section of the document.
func matrixDoc() string {
	var b strings.Builder
	b.WriteString(`
Every field needs a token. The table is generated from the tests that send each field of the API with every role
(` + "`server: TestRoleMatrix`" + `), with every right on a folder (` + "`server: TestRightsOnAFolder`" + `) and without
a confirmation (` + "`server: TestConfirmedMutations`" + `). "own" means that people may do it for their own account,
and only admins for the accounts of others. The column "folder" names the right that is also needed on [the
folder](../guides/access.md). "confirmed" marks what [requires confirmation](../guides/second-factor.md#sensitive-changes)
with a second factor or the password.

| field | guest | user | admin | folder | confirmed |
|---|---|---|---|---|---|
`)
	doc := gqlparser.MustLoadSchema(&ast.Source{Input: schema.SDL()})
	mark := map[bool]string{true: "yes", false: "-"}
	for _, field := range slices.Sorted(maps.Keys(matrix)) {
		may := strings.Fields(matrix[field].may)
		root, name, _ := strings.Cut(field, ".")
		folder := "-"
		if needs := reaches[field].needs; needs != access.None {
			folder = needs.String()
		}
		guest, user := mark[slices.Contains(may, "guest")], mark[slices.Contains(may, "user")]
		if _, ofOthers := foreign[name]; ofOthers {
			guest, user = "-", "own" // guests have no account
		}
		asked := doc.Types[root].Fields.ForName(name).Directives.ForName("confirmed") != nil ||
			name == "changePassword" // which asks for the current password instead
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, guest, user,
			mark[slices.Contains(may, "admin")], folder, mark[asked])
	}
	return b.String()
}
