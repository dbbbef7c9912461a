package server_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/schema"
)

// post sends JSON to a route; token may be empty.
func (s *stage) post(path, token string, body map[string]any) answer {
	s.Helper()
	data, err := json.Marshal(body)
	s.must(err)
	headers := []string{"Content-Type", "application/json"}
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	return s.do("POST", path, string(data), headers...)
}

// addApp sets up an authenticator app over the API, and returns its secret and a recovery code.
func (s *stage) addApp(token string) (secret, recovery string) {
	s.Helper()
	offer := s.post("/api/auth/factors/begin", token, map[string]any{"kind": "app"})
	secret, _ = offer.json("secret").(string)
	key, err := base32.StdEncoding.DecodeString(secret)
	s.must(err)
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30)
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[19]&15:]) & (1<<31 - 1)
	added := s.post("/api/auth/factors/finish", token, map[string]any{
		"challenge": offer.json("challenge"), "code": fmt.Sprintf("%06d", number%1e6),
	})
	codes, _ := added.json("recoveryCodes").([]any)
	if added.status != 200 || len(codes) != 10 {
		s.Fatalf("setting up an app: %d %s", added.status, added.body)
	}
	recovery, _ = codes[0].(string)
	return secret, recovery
}

func (s *stage) login(name string) answer {
	s.Helper()
	return s.post("/api/auth/login", "", map[string]any{"username": name, "password": stagePassword})
}

// unasked are the mutations that need no confirmation, because they neither give access to accounts or folders nor
// reveal or change a secret. Share links are everyday work, show nothing that their maker may not see, and can be
// ended. The accounts ask in updateProfile, endSessions, endSession and revokeApiToken, as far as it takes more than a
// session.
const unasked = `
	updateProfile endSessions endSession revokeApiToken createShare updateShare deleteShare
	sendShare markFeedbackSeen hideShareComment deleteShareComment deleteShareReviewer sendTestMail retryMail
	deleteWebhook testWebhook retryDelivery purgeCache rescan addFont deleteFont savePreset deletePreset
	createFolder updateFile addFile createUpload finishUpload cancelUpload createArchive pinFolder
	trashFiles deleteFiles restoreFiles purgeFiles emptyTrash tagFiles rateFiles moveFiles copyFiles
	createAlbum updateAlbum deleteAlbum addToAlbum removeFromAlbum moveInAlbum
	createSavedSearch renameSavedSearch deleteSavedSearch generateProcessorUrl generateProcessorUrlFromTemplate
	applyTemplate restoreTemplateVersion saveTemplate regenerateTemplatePreview renameTemplate deleteTemplate
`

// TestConfirmedMutations sends every mutation as an admin, without a second factor and with one, whose session has not
// confirmed it: the sensitive ones are refused.
func TestConfirmedMutations(t *testing.T) {
	s := newStage(t, nil)
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	s.must(err)
	for _, account := range []string{"without a factor", "with a factor"} {
		if account == "with a factor" {
			s.tokens["admin"], _ = s.login("admin").json("token").(string)
			s.addApp(s.tokens["admin"])
		}
		s.must(s.db.Session.Update().ClearConfirmedAt().Exec(t.Context()))
		for _, f := range doc.Mutation.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			needed := !slices.Contains(strings.Fields(unasked), f.Name)
			if f.Name == "changePassword" { // one's own: the current password confirms as well
				needed = account == "with a factor"
			}
			row, ok := matrix["Mutation."+f.Name]
			if !ok {
				t.Errorf("Mutation.%s has no row in matrix, whose query this test sends", f.Name)
				continue
			}
			if a := s.ask("admin", row.query); (a.code() == "STEP_UP_REQUIRED") != needed {
				t.Errorf(
					"%s of an account %s, without a confirmation: %d %s, expected STEP_UP_REQUIRED: %v; "+
						"a mutation has either @confirmed in the SDL or its name in unasked",
					f.Name, account, a.status, a.body, needed,
				)
			}
		}
	}
	if a := s.graphQL("user", matrix["Mutation.createUser"].query, nil); a.code() != "FORBIDDEN" {
		t.Errorf("a user is told about a confirmation first: %s", a.body)
	}
}

// TestSecondStepRoutes logs in with an app over HTTP. The token of the pending login opens nothing else.
func TestSecondStepRoutes(t *testing.T) {
	s := newStage(t, nil)
	_, recovery := s.addApp(s.tokens["user"])
	a := s.login("user")
	if a.status != 200 || a.json("token") != nil || a.json("user") != nil ||
		a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the password alone: %d %s", a.status, a.body)
	}
	pending, _ := a.json("secondFactor", "token").(string)
	s.tokens["pending"] = pending
	bearer := "Bearer " + pending
	app := func(token string) map[string]any { return map[string]any{"kind": "app", "token": token} }
	for what, got := range map[string]answer{
		"as a session":                 s.do("GET", "/api/auth/me", "", "Authorization", bearer),
		"in GraphQL":                   s.graphQL("pending", "{ me { id } }", nil),
		"to be refreshed":              s.post("/api/auth/refresh", "", map[string]any{"token": pending}),
		"to confirm":                   s.post("/api/auth/confirm", pending, map[string]any{"code": recovery}),
		"to log out":                   s.post("/api/auth/logout", pending, nil),
		"to add a factor":              s.post("/api/auth/factors/begin", "", app(pending)),
		"to add a factor, as a bearer": s.post("/api/auth/factors/begin", pending, app("")),
		"to upload": s.do("POST", "/api/uploads/", "", "Authorization", bearer, "Tus-Resumable",
			"1.0.0"),
	} {
		if got.status != 401 {
			t.Errorf("the token of a pending login %s: %d %s", what, got.status, got.body)
		}
	}
	wrong := s.post("/api/auth/second-step", "", map[string]any{"token": pending, "code": "aaaa-aaaa-aaaa-aaaa"})
	if wrong.status != 401 || wrong.code() != "LOGIN_FAILED" || wrong.json("field") != "code" {
		t.Errorf("a wrong code: %d %s", wrong.status, wrong.body)
	}
	right := s.post("/api/auth/second-step", "", map[string]any{"token": pending, "code": recovery})
	if token, _ := right.json("token").(string); right.status != 200 || token == "" {
		t.Errorf("the right code: %d %s", right.status, right.body)
	}
	for _, body := range []map[string]any{
		{"token": pending, "credential": "text"}, {"token": 5}, {"token": pending, "credential": []int{1}},
	} {
		if a := s.post("/api/auth/second-step", "", body); a.status != 400 || a.code() != "INVALID_REQUEST" {
			t.Errorf("%v: %d %s", body, a.status, a.body)
		}
	}
	if a := s.post("/api/auth/confirm", s.tokens["guest"], map[string]any{"code": "123456"}); a.status != 403 {
		t.Errorf("a guest confirms: %d %s", a.status, a.body)
	}
	if a := s.post("/api/auth/passkey/begin", "", map[string]any{}); a.status != 409 { // the stage is at an IP address
		t.Errorf("a passkey for an IP address: %d %s", a.status, a.body)
	}
}
