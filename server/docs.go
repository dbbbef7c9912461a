package server

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/docsite"
)

// Who may read the documentation, in Config.Docs.
const (
	DocsOff    = "off"
	DocsUsers  = "users"
	DocsPublic = "public"
)

// docsPath is the prefix of the documentation.
const docsPath = "/docs/"

// docsCookie is the cookie in which browsers send the token of a session with requests for pages of the documentation.
// The script session.js of docsite sets it.
const docsCookie = "safelight_docs"

// docsOpen are the files of the documentation that everybody may read, which the page that asks for a login needs.
var docsOpen = []string{"docs.css", "theme.js", "session.js", "gate.js"}

// documentation serves the pages of docsite.
type documentation struct {
	*Server
	site     func() (*docsite.Site, error) // renders the pages on first use
	codings  func() (appFiles, error)
	rendered sync.Map // results of the pages' examples, by file
}

// docsRoutes registers the routes of the documentation. If the documentation is off, they answer 404.
func (s *Server) docsRoutes() {
	if s.Docs == nil {
		return
	}
	if !s.showsDocs() {
		s.app.Get("/docs", noRoute) // without this, the path would be answered as an image URL without a signature
		s.app.Get(docsPath+"*", noRoute)
		return
	}
	d := &documentation{Server: s, site: sync.OnceValues(s.Docs)}
	d.codings = sync.OnceValues(func() (appFiles, error) {
		site, err := d.site()
		if err != nil {
			return nil, err
		}
		return newAppFiles(site.Files())
	})
	s.app.Get("/docs", d.start)
	s.app.Get(docsPath+"*", d.file)
}

// showsDocs reports whether there is documentation that anybody may read.
func (s *Server) showsDocs() bool {
	return s.Docs != nil && (s.config.Docs == DocsUsers || s.config.Docs == DocsPublic)
}

// start redirects to the first page. The redirect is relative, because a proxy may serve the server below a path.
func (d *documentation) start(c *fiber.Ctx) error {
	if strings.HasSuffix(rawPath(c), "/") { // Fiber ignores it
		return d.file(c)
	}
	return c.Redirect("docs/", fiber.StatusPermanentRedirect)
}

// admit adds the identity of the reader to the context. It returns fault.Unauthenticated if only users may read the
// documentation and the request has no valid token.
func (d *documentation) admit(c *fiber.Ctx) error {
	c.Vary(fiber.HeaderAuthorization, fiber.HeaderCookie)
	token := bearerToken(c)
	if token == "" {
		token = c.Cookies(docsCookie)
	}
	identity, err := d.identity(c.UserContext(), token)
	if err == nil {
		c.SetUserContext(auth.WithIdentity(c.UserContext(), identity))
		return nil
	}
	if d.config.Docs == DocsPublic || slices.Contains(docsOpen, strings.TrimPrefix(rawPath(c), docsPath)) {
		return nil
	}
	if fault.CodeOf(err) != fault.Unauthenticated {
		return err
	}
	return fault.New(fault.Unauthenticated, "the documentation is for people who are logged in: log in first")
}

// refuse answers browsers with a page whose script logs in with the application's session.
func (d *documentation) refuse(c *fiber.Ctx, err error) error {
	if fault.CodeOf(err) != fault.Unauthenticated || !opensPage(c) || d.Web == nil {
		return err
	}
	folders := strings.Count(strings.TrimPrefix(rawPath(c), docsPath), "/")
	page, err := docsite.Gate(strings.Repeat("../", folders))
	if err != nil {
		return err
	}
	failHeaders(c, fault.New(fault.Unauthenticated, ""))
	c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Status(fiber.StatusUnauthorized).Send(page)
}

// docsPolicy lets the pages run only their own script and load only from this server. Edited examples are shown as
// blob URLs.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// file answers with a file of the documentation, or the result of an example.
func (d *documentation) file(c *fiber.Ctx) error {
	if err := d.admit(c); err != nil {
		return d.refuse(c, err)
	}
	name, err := url.PathUnescape(strings.TrimPrefix(rawPath(c), docsPath))
	switch {
	case err != nil:
		return noRoute(c)
	case name == "":
		return d.page(c, "index.html")
	case name == "try":
		return d.try(c)
	case name == "access.json" && mayTry(c):
		return d.document(c, fiber.MIMEApplicationJSON, privateRevalidate, []byte(`{"edit":true}`))
	case strings.HasPrefix(name, "examples/"):
		return d.example(c, name)
	}
	return d.page(c, name)
}

// page answers with a file of the site in the smallest encoding that the client accepts. A path without an extension
// redirects to its page.
func (d *documentation) page(c *fiber.Ctx, name string) error {
	codings, err := d.codings()
	if err != nil {
		return err
	}
	file, found := pageFile(codings, name)
	if !found {
		return fault.New(fault.NotFound, "the documentation has no page %s", name)
	}
	raw := strings.TrimPrefix(rawPath(c), docsPath)
	if folders := strings.Count(raw, "/"); folders != strings.Count(name, "/") {
		// The path contained an escaped slash, so relative links of the page would resolve against the wrong folder.
		return c.Redirect(strings.Repeat("../", folders)+file, fiber.StatusFound)
	}
	if file != name {
		dir, _ := path.Split(name)
		return c.Redirect(strings.TrimPrefix(file, dir), fiber.StatusFound)
	}
	site, err := d.site()
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
	return d.sendFile(c, site.Files(), codings[name], name, d.cacheControl())
}

// pageFile returns the file that a path refers to.
func pageFile(codings appFiles, name string) (file string, found bool) {
	for _, more := range []string{"", ".html", "index.html", "/index.html"} {
		if _, found := codings[name+more]; found {
			return name + more, true
		}
	}
	return "", false
}

// cacheControl lets shared caches store what everybody may read. Browsers revalidate it each time.
func (d *documentation) cacheControl() string {
	if d.config.Docs == DocsPublic {
		return alwaysRevalidate
	}
	return privateRevalidate
}

// example answers with the result of an example of a page. It is rendered once.
func (d *documentation) example(c *fiber.Ctx, name string) error {
	site, err := d.site()
	if err != nil {
		return err
	}
	path := site.Example(name)
	if path == "" {
		return fault.New(fault.NotFound, "the documentation has no example %s", name)
	}
	r, err := d.renderOnce(c, name, path)
	if err != nil {
		return err
	}
	return d.document(c, r.ContentType, d.cacheControl(), r.Data)
}

// renderOnce returns the cached result of an example, or renders it. Concurrent readers share one run. Errors are not
// cached.
func (d *documentation) renderOnce(c *fiber.Ctx, name, path string) (*imaging.Result, error) {
	if kept, found := d.rendered.Load(name); found {
		return kept.(*imaging.Result), nil
	}
	ctx, stop := requestContext(c, d.renderTimeout())
	defer stop()
	r, _, err := d.docsExamples.Do(ctx, name, func(ctx context.Context) (r *imaging.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = panicked(ctx, d.Log, v)
			}
		}()
		if kept, found := d.rendered.Load(name); found { // rendered by a run that has just ended
			return kept.(*imaging.Result), nil
		}
		ctx, cancel := context.WithTimeout(ctx, d.renderTimeout())
		defer cancel()
		if r, err = d.render(ctx, path); err == nil {
			d.rendered.Store(name, r)
		}
		return r, err
	})
	if ctx.Err() != nil {
		return nil, admission.ContextError(ctx)
	}
	return r, err
}

// mayTry reports whether the reader may edit examples. Everybody may who may generate URLs of pictures.
func mayTry(c *fiber.Ctx) bool { return auth.FromContext(c.UserContext()).Has(auth.ScopeWrite) }

// try renders the URL in the query, which is an edited example.
func (d *documentation) try(c *fiber.Ctx) error {
	if !mayTry(c) {
		return fault.New(fault.Forbidden,
			"changing an example needs an account that may generate URLs, which has scope write")
	}
	ctx, stop := requestContext(c, d.renderTimeout())
	defer stop()
	result, err := d.render(ctx, c.Query("path"))
	if err != nil {
		return err
	}
	warningsHeader(c, result.Warnings)
	return d.document(c, result.ContentType, privateRevalidate, result.Data)
}

// renderTimeout is the max time that a reader waits for an example.
func (d *documentation) renderTimeout() time.Duration {
	return d.config.QueueTimeout + d.config.Limits.Timeout
}

// render renders a picture of the samples. It waits in the queue like any other picture.
func (d *documentation) render(ctx context.Context, path string) (*imaging.Result, error) {
	r := docsite.Renderer{Engine: d.Engine, Limits: d.config.Limits, Sample: d.Sample, Admit: d.Admit}
	return r.Render(ctx, path)
}
