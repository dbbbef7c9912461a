package auth_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func keyring(t *testing.T, c *clock, secret string) (*auth.Keyring, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys.json")
	k, err := auth.OpenKeyring(auth.KeyringConfig{File: file, Secret: secret, Issuer: "iss", Audience: "aud",
		Lifetime: time.Hour, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return k, file
}

func TestTokens(t *testing.T) {
	c := &clock{time.Now()}
	k, file := keyring(t, c, "")
	id := uuid.New()
	session := uuid.New()
	token, claims, err := k.Issue(auth.Subject{UserID: id, Role: auth.RoleUser, Session: session})
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Parse(token)
	if err != nil || got.UserID() != id || got.Role != auth.RoleUser || got.Session != session.String() ||
		got.ID != claims.ID ||
		len(got.Scopes) != 2 {
		t.Fatalf("Parse = %+v, %v", got, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info.Mode(), err)
	}
	refused := func(what, token string) {
		t.Helper()
		if _, err := k.Parse(token); fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("empty", "")
	refused("changed", token[:len(token)-2]+"xx")
	none, _ := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	refused("alg none", none)
	other, _ := keyring(t, c, "")
	foreign, _, _ := other.Issue(auth.Subject{UserID: id, Role: auth.RoleAdmin})
	refused("another server's key", foreign)

	if err := k.Rotate(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse(token); err != nil {
		t.Errorf("after a rotation the token before is refused: %v", err)
	}
	reopened, err := auth.OpenKeyring(auth.KeyringConfig{File: file, Issuer: "iss", Audience: "aud",
		Lifetime: time.Hour, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reopened.Parse(token); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	c.t = claims.ExpiresAt.Add(-time.Second)
	if _, err := k.Parse(token); err != nil {
		t.Errorf("a second before the token expires: %v", err)
	}
	c.t = claims.ExpiresAt.Time
	refused("expired", token)
	if err := k.Check(claims); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("Check of expired claims: %v", err)
	}
}

// TestForgedClaims signs claims that Issue never issues, with the correct key.
func TestForgedClaims(t *testing.T) {
	c := &clock{time.Now()}
	secret := strings.Repeat("s", 32)
	k, _ := keyring(t, c, secret)
	token, _, _ := k.Issue(auth.Subject{UserID: uuid.New(), Role: auth.RoleUser})
	parsed, _, _ := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	for name, change := range map[string]func(jwt.MapClaims, map[string]any){
		"no exp":       func(m jwt.MapClaims, _ map[string]any) { delete(m, "exp") },
		"no jti":       func(m jwt.MapClaims, _ map[string]any) { delete(m, "jti") },
		"no sid":       func(m jwt.MapClaims, _ map[string]any) { delete(m, "sid") },
		"other sid":    func(m jwt.MapClaims, _ map[string]any) { m["sid"] = "x" },
		"no iat":       func(m jwt.MapClaims, _ map[string]any) { delete(m, "iat") },
		"other iss":    func(m jwt.MapClaims, _ map[string]any) { m["iss"] = "x" },
		"other aud":    func(m jwt.MapClaims, _ map[string]any) { m["aud"] = []string{"x"} },
		"unknown role": func(m jwt.MapClaims, _ map[string]any) { m["role"] = "root" },
		"no subject":   func(m jwt.MapClaims, _ map[string]any) { m["sub"] = "me" },
		"other kid":    func(_ jwt.MapClaims, h map[string]any) { h["kid"] = "x" },
		"no kid":       func(_ jwt.MapClaims, h map[string]any) { delete(h, "kid") },
	} {
		claims := jwt.MapClaims{}
		for key, v := range parsed.Claims.(jwt.MapClaims) {
			claims[key] = v
		}
		forged := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
		forged.Header["kid"] = parsed.Header["kid"]
		change(claims, forged.Header)
		text, _ := forged.SignedString([]byte(secret))
		if _, err := k.Parse(text); fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	hs512 := jwt.NewWithClaims(jwt.SigningMethodHS512, parsed.Claims)
	hs512.Header["kid"] = parsed.Header["kid"]
	text, _ := hs512.SignedString([]byte(secret))
	if _, err := k.Parse(text); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("HS512: %v", err)
	}
}

func TestScopesComeFromTheRole(t *testing.T) {
	const read, write, admin = auth.ScopeRead, auth.ScopeWrite, auth.ScopeAdmin
	for _, c := range []struct {
		role         auth.Role
		claims, want []auth.Scope
	}{
		{auth.RoleGuest, []auth.Scope{admin, read}, []auth.Scope{read}},
		{auth.RoleGuest, []auth.Scope{admin, write}, nil},
		{auth.RoleAdmin, []auth.Scope{write}, []auth.Scope{write}},
		{auth.RoleUser, nil, nil},
		{"", []auth.Scope{read}, nil},
	} {
		i := auth.Claims{Role: c.role, Scopes: c.claims}.Identity()
		if !slices.Equal(i.Scopes, c.want) || i.IsAnonymous() != (c.role == "") {
			t.Errorf("%q with %v: %+v", c.role, c.claims, i)
		}
	}
}

func TestOpenKeyringRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"tokens":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]auth.KeyringConfig{
		"damaged":      {File: bad, Lifetime: time.Hour},
		"short secret": {File: filepath.Join(dir, "a"), Secret: "short", Lifetime: time.Hour},
		"no lifetime":  {File: filepath.Join(dir, "b")},
		"no folder":    {File: filepath.Join(dir, "no", "c"), Lifetime: time.Hour},
		"31 bytes":     {File: filepath.Join(dir, "d"), Secret: strings.Repeat("s", 31), Lifetime: time.Hour},
		"under 1m":     {File: filepath.Join(dir, "e"), Lifetime: time.Minute - 1},
	} {
		if _, err := auth.OpenKeyring(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := auth.OpenKeyring(auth.KeyringConfig{File: filepath.Join(dir, "ok"), Secret: strings.Repeat("s", 32),
		Lifetime: time.Minute}); err != nil {
		t.Errorf("the shortest secret and lifetime: %v", err)
	}
	if b, _ := os.ReadFile(bad); string(b) != `{"tokens":[]}` {
		t.Error("a damaged key file was overwritten")
	}
}

func TestKeyFileMadeOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.json")
	var wg sync.WaitGroup
	sealed := make([]string, 8)
	rings := make([]*auth.Keyring, len(sealed))
	for i := range rings {
		wg.Go(func() {
			rings[i], _ = auth.OpenKeyring(auth.KeyringConfig{File: file, Lifetime: time.Hour})
			sealed[i], _ = rings[i].Seal("x")
		})
	}
	wg.Wait()
	for i := range rings {
		if plain, err := rings[0].Unseal(sealed[i]); err != nil || plain != "x" {
			t.Errorf("keyring %d has another key: %v", i, err)
		}
	}
}

func TestSeal(t *testing.T) {
	c := &clock{time.Now()}
	k, _ := keyring(t, c, "")
	a, _ := k.Seal("secret")
	b, _ := k.Seal("secret")
	if a == b || strings.Contains(a, "secret") {
		t.Errorf("sealed %q and %q", a, b)
	}
	if plain, err := k.Unseal(a); err != nil || plain != "secret" {
		t.Errorf("Unseal = %q, %v", plain, err)
	}
	other, _ := keyring(t, c, "")
	for _, text := range []string{"", "secret", a[:len(a)-3], "sealed:", "sealed:AAAA"} {
		if _, err := k.Unseal(text); err == nil {
			t.Errorf("Unseal(%q) succeeds", text)
		}
	}
	if _, err := other.Unseal(a); err == nil {
		t.Error("another key opens it")
	}
}

func TestParallelHashes(t *testing.T) {
	for cores, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 16: 8, 64: 8} {
		if got := auth.ParallelHashes(cores); got != want {
			t.Errorf("%d cores run %d hashes at once, expected %d", cores, got, want)
		}
	}
}

func TestPasswords(t *testing.T) {
	p, ctx := auth.NewPasswords(2, auth.DefaultHashMemory), t.Context()
	hash, err := p.Hash(ctx, "a-long-é-password")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=1,p=1$") {
		t.Fatalf("Hash = %s, %v", hash, err)
	}
	for password, want := range map[string]bool{"a-long-é-password": true, "a-long-e\u0301-password": true,
		"a-long-é-passworD": false, "": false, strings.Repeat("x", 5000): false} {
		if got, err := p.Verify(ctx, hash, password); err != nil || got != want {
			t.Errorf("Verify(%.20q) = %v, %v", password, got, err)
		}
	}
	for _, password := range []string{"", "x"} {
		if got, err := p.Verify(ctx, "", password); err != nil || got {
			t.Errorf("an unknown user's password %q: %v, %v", password, got, err)
		}
	}
	if _, err := p.Verify(ctx, "$2a$10$abc", "x"); err == nil {
		t.Error("a bcrypt hash is accepted")
	}
}

func TestCheckPassword(t *testing.T) {
	for _, ok := range []string{"correct unicorn 77 staple", "vQ8#mLpz!tR2x", "ünïcödé pässphräse",
		"my dog ate 4 lemons", "Th3-moon-is-cheese",
		"password+123456789", "abcd-abcd-abc", "twelve chars", "an-mr-unicorn", strings.Repeat("long Text ", 102) +
			"1024"} {
		if err := auth.CheckPassword(ok, "maria"); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "short", "elevenchars", "Password1234", "P@ssw0rd1234", "123456789012",
		"qwertyuiop12", "aaaaaaaaaaaa", "abababababab", "abcdefghijklmn",
		"letmeinletmein", "Administrator1", "correcthorsebatterystaple", "maria-is-my-name", "xxMARIAxx-secret",
		"zyxwvutsrqponm", "\xff\xfe0123456789ab", strings.Repeat("ab3 x", 300),
		strings.Repeat("long Text ", 102) + "1025.", "password12345678", "qzqzzwqwwzqw", "eleven char",
		"P4$$w0rdP4$$w0rd"} {
		if err := auth.CheckPassword(bad, "maria"); fault.CodeOf(err) != fault.Invalid ||
			fault.Of(err).Field != "password" {
			t.Errorf("%.30q: %v", bad, err)
		}
	}
}

// TestUsernamesInPasswords checks that a username of three letters is detected in a password, and that one of
// two letters is ignored.
func TestUsernamesInPasswords(t *testing.T) {
	for name, ok := range map[string]bool{"": true, "xq": true, "xqz": false, "\u00fcq": true, "XQZ": false} {
		if err := auth.CheckPassword("heron "+name+" basalt", name); (err == nil) != ok {
			t.Errorf("the username %q in the password: %v", name, err)
		}
	}
}

func TestClaimsJSON(t *testing.T) {
	k, _ := keyring(t, &clock{time.Now()}, "")
	_, claims, _ := k.Issue(auth.Subject{UserID: uuid.New(), Role: auth.RoleAdmin})
	b, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"iss", "aud", "sub", "iat", "exp", "jti", "role", "scopes", "sid"} {
		if !strings.Contains(string(b), `"`+key+`":`) {
			t.Errorf("the token says %s, without %s", b, key)
		}
	}
}
