package server

import (
	"fmt"
	"io/fs"
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// appPaths are the paths of the application's pages. They all answer with the same document, whose script renders the
// page. None of them can be the start of an image URL, because a signature is longer.
var appPaths = []string{
	"/", "/login", "/signin/*", "/setup", "/reset", "/confirm", "/f", "/f/*", "/timeline", "/search", "/map", "/i/*",
	"/edit", "/edit/*",
	"/templates", "/templates/*",
	"/albums", "/a/*",
	"/clean", "/trash", "/admin", "/admin/*", "/me", "/me/sessions", "/me/security", "/me/shares", "/me/shares/*",
	"/pick", appShare,
	"/library", "/folders", "/i", "/a", "/favorites", "/account", "/profile", // see meant in web/src/shell/routes.ts
}

// appShare receives what a phone shares with the installed application.
const appShare = "/share"

// appAssets is the prefix of the application's scripts, styles and pictures. Their names contain a hash of their
// content, except for appFixed.
const appAssets = "/app/"

// appWorker is the service worker, which may control all pages.
const appWorker = "app/worker.js"

// appFixed are the files that browsers know by their name.
var appFixed = []string{appWorker, "app/manifest.webmanifest", "app/icon-192.png", "app/icon-512.png"}

// cacheForever is the Cache-Control of files whose names change with their content.
const cacheForever = "public, max-age=31536000, immutable"

// appRoutes registers the routes of the application. Without an application, it registers only the route of its
// options.
func (s *Server) appRoutes() {
	s.app.Get("/api/auth/options", s.authOptions)
	if s.Web == nil {
		return
	}
	for _, p := range appPaths {
		s.app.Get(p, s.appPage)
	}
	s.app.Get(appAssets+"*", s.appAsset)
	s.app.Post(appShare, s.appShared)
}

// appShared answers a share that the service worker did not handle, because the browser has removed it. The page says
// so.
func (s *Server) appShared(c *fiber.Ctx) error {
	return c.Redirect(appShare+"?lost=1", fiber.StatusSeeOther)
}

// appPage answers with the application if the client accepts HTML. Other clients get the response that the route has
// without an application.
func (s *Server) appPage(c *fiber.Ctx) error {
	c.Vary(fiber.HeaderAccept)
	if acceptQualities(c.Get(fiber.HeaderAccept))[fiber.MIMETextHTML] == 0 {
		return c.Next()
	}
	s.pageHeaders(c)
	return s.appFile(c, "index.html", alwaysRevalidate)
}

// pageHeaders sets the headers of the application's document.
func (s *Server) pageHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, s.config.appPolicy())
	c.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), "+
		"publickey-credentials-create=(self), publickey-credentials-get=(self)")
	s.embedding(c)
}

// embedding lets the configured origins frame the pages, and lets the pages that report to the window that opened them
// reach it.
func (s *Server) embedding(c *fiber.Ctx) {
	opener := "same-origin"
	if len(s.config.Embedders) > 0 {
		c.Response().Header.Del(fiber.HeaderXFrameOptions) // X-Frame-Options cannot name origins; frame-ancestors does
		if p := c.Path(); p == "/pick" || p == "/login" || strings.HasPrefix(p, "/edit") {
			opener = "unsafe-none"
		}
	}
	c.Set("Cross-Origin-Opener-Policy", opener)
}

func (s *Server) appAsset(c *fiber.Ctx) error {
	name := strings.TrimPrefix(rawPath(c), "/")
	if _, found := s.appFiles[name]; !found {
		return noRoute(c)
	}
	// A file is part of a page, and the page's policy applies. Only the service worker runs under the policy of its
	// own script. Sending the long policy with each file would add a tenth to the bytes of a first view.
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	if !slices.Contains(appFixed, name) {
		return s.appFile(c, name, cacheForever)
	}
	if name == appWorker {
		c.Set(fiber.HeaderContentSecurityPolicy, s.config.appPolicy())
		c.Set("Service-Worker-Allowed", "/")
	}
	return s.appFile(c, name, alwaysRevalidate)
}

// appFile answers with one of the application's files.
func (s *Server) appFile(c *fiber.Ctx, name, cacheControl string) error {
	return s.sendFile(c, s.Web, s.appFiles[name], name, cacheControl)
}

// sendFile answers with a file in the smallest content coding that the client accepts.
func (s *Server) sendFile(c *fiber.Ctx, files fs.FS, codings []appCoding, name, cacheControl string) error {
	contentType := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) {
	case ".js":
		contentType = "text/javascript; charset=utf-8"
	case ".webmanifest":
		contentType = "application/manifest+json"
	case ".md":
		contentType = "text/markdown; charset=utf-8"
	}
	c.Vary(fiber.HeaderAcceptEncoding)
	accepted := acceptQualities(c.Get(fiber.HeaderAcceptEncoding))
	for _, coding := range codings {
		if accepted[coding.name] == 0 {
			continue
		}
		encoded, err := coding.encoded()
		if err != nil {
			return err
		}
		if encoded != nil {
			c.Set(fiber.HeaderContentEncoding, coding.name)
			return s.document(c, contentType, cacheControl, encoded)
		}
	}
	plain, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return s.document(c, contentType, cacheControl, plain)
}

// appPolicy lets the application run its own files, talk to this server and to the origin of the image URLs, and show
// the tiles of a map. Svelte creates elements from template strings through its own Trusted Types policy; a second
// policy covers starting the service worker.
func (c Config) appPolicy() string {
	self := "'self'"
	if c.AppOrigin != "" {
		self += " " + c.AppOrigin
	}
	images := self
	if c.TilesOrigin != "" {
		images += " " + c.TilesOrigin
	}
	ancestors := "'none'"
	if len(c.Embedders) > 0 {
		ancestors = strings.Join(c.Embedders, " ")
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src " + images +
		" blob: data:; connect-src " + self +
		"; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + ancestors +
		"; require-trusted-types-for 'script'; trusted-types svelte-trusted-html safelight-worker"
}

// authOptions answers with what the application needs to know before login.
func (s *Server) authOptions(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	embedders := s.config.Embedders
	if embedders == nil {
		embedders = []string{}
	}
	passkeys, _ := s.Accounts.PasskeyHost(requestHost(c))
	return c.JSON(fiber.Map{"guest": s.config.Guest, "setup": s.Accounts.SetupToken() != "", "version": s.Version,
		"embedders": embedders, "docs": s.showsDocs(), "passwords": s.config.Passwords, "providers": s.Signin.List(),
		"passkeys": passkeys, "mail": s.Mail.On()})
}
