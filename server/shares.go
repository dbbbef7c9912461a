package server

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"io/fs"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/signing"
)

// The routes of share links. The key in the path is the credential, and everything that a visitor can access is below
// it. No other route accepts visitors.
const (
	sharePath        = "/s/:key"
	shareFilesPath   = sharePath + "/files"
	shareFoldersPath = sharePath + "/folders"
	sharePicturePath = sharePath + "/files/:id/:size"
	shareCoverPath   = sharePath + "/cover"
	shareArchivePath = sharePath + "/archive"
)

// maxShareOpens is how many times a minute the links may be opened from one network. It leaves room for all guests of
// a party behind one address.
const maxShareOpens = 300

// visitCookie holds the token of a visit. Its path is the path of the link.
const visitCookie = "safelight-visit"

// shareRoutes are the handlers of share links.
type shareRoutes struct{ *Server }

func (s shareRoutes) register() {
	s.app.Get(sharePath, refusing(s.document))
	s.app.Post(sharePath, refusing(s.open))
	s.app.Get(shareFilesPath, s.visitor(s.files))
	s.app.Get(shareFoldersPath, s.visitor(s.folders))
	s.registerFeedback()
	s.app.Get(sharePicturePath, s.visitor(s.picture))
	s.app.Get(shareCoverPath, s.visitor(s.cover))
	s.app.Get(shareArchivePath, s.visitor(s.archive))
	s.registerUploads()
	s.rejectOtherMethods()
	s.app.All("/s/*", noRoute)
}

// visitor passes requests of visitors who may open the link. The context of the request is then that of shares.Visit:
// anonymous and limited to the shared files, in an album to those that its owner may view. Handlers must take files
// from the Visitor.
func (s shareRoutes) visitor(next func(*fiber.Ctx, *shares.Visitor) error) fiber.Handler {
	return refusing(func(c *fiber.Ctx) error {
		c.Set("X-Robots-Tag", "noindex")
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Vary(fiber.HeaderCookie)
		ctx, v, err := files(c.UserContext()).Shares.Visit(c.UserContext(), c.Params("key"), c.Cookies(visitCookie))
		if err != nil {
			return err
		}
		c.SetUserContext(ctx)
		return next(c, v)
	})
}

// shareMessages are the errors that visitors see. Other errors name paths and settings, which visitors should not see.
var shareMessages = map[fault.Code]string{
	fault.NotFound:           "the link or what it should lead to does not exist",
	fault.Expired:            "the link has ended",
	fault.Unauthenticated:    "the link needs its password",
	fault.LoginFailed:        "the password of the link is wrong",
	fault.Forbidden:          "the link does not allow this",
	fault.Invalid:            "a value is not valid",
	fault.TooLarge:           "the file or the selection is too large, or the link takes no more files",
	fault.UnsupportedType:    "the file is not a picture that this server reads",
	fault.CorruptImage:       "the picture cannot be read",
	fault.Conflict:           "the file cannot be added now",
	fault.RateLimited:        "too many attempts or files, try again later",
	fault.Overloaded:         "the server is busy, try again in a moment",
	fault.Timeout:            "the server took too long, try again later",
	fault.Unavailable:        "the files are not available now, try again later",
	fault.UnsupportedFormat:  "the picture cannot be shown",
	fault.PreconditionFailed: "the picture has changed",
}

// refusing replaces the errors of a handler with what visitors may know of them. Those of sealed pictures tell nothing
// anyway.
func refusing(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		err := next(c)
		if err == nil || isSealed(c) {
			return err
		}
		c.Response().Header.Del(fiber.HeaderContentDisposition)
		c.Set("X-Robots-Tag", "noindex")
		return refusal(err)
	}
}

// refusal returns the error that a visitor sees instead of err.
func refusal(err error) *fault.Error {
	f := *fault.Of(err)
	if errors.Is(err, shares.ErrNoName) {
		f.Message = "feedback needs a name, which PUT of reviewer takes"
	} else if message, ok := shareMessages[f.Code]; ok {
		f.Message = message
	} else if f.Code != fault.InvalidRequest {
		f.Code, f.Err = fault.Internal, err
	}
	return &f
}

// document answers with the application. Its HTML describes the shared content for crawlers if the link needs no
// password.
func (s shareRoutes) document(c *fiber.Ctx) error {
	c.Set("X-Robots-Tag", "noindex")
	c.Vary(fiber.HeaderAccept)
	ctx, v, err := files(c.UserContext()).Shares.Visit(c.UserContext(), c.Params("key"), "")
	if s.Web == nil || acceptQualities(c.Get(fiber.HeaderAccept))[fiber.MIMETextHTML] == 0 {
		if err == nil {
			err = fault.New(fault.NotFound, "no page")
		}
		return err
	}
	document, readErr := fs.ReadFile(s.Web, "index.html")
	if readErr != nil {
		return readErr
	}
	switch code := fault.CodeOf(err); code {
	case "":
		document = bytes.Replace(document, []byte("<title>Safelight</title>"), s.preview(ctx, c, v), 1)
	case fault.Unauthenticated:
	case fault.NotFound, fault.Expired:
		c.Status(statusOf[code])
	default:
		return err
	}
	s.pageHeaders(c)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Send(document)
}

// previewTags are the title of a page and the preview that other programs show for a link to it (https://ogp.me).
var previewTags = template.Must(template.New("").Parse(`<title>{{.Name}}</title>
    <meta property="og:type" content="website" />
    <meta property="og:title" content="{{.Name}}" />{{if .Description}}
    <meta property="og:description" content="{{.Description}}" />{{end}}
    <meta property="og:url" content="{{.URL}}" />{{if .Cover}}
    <meta property="og:image" content="{{.URL}}/cover" />
    <meta name="twitter:card" content="summary_large_image" />{{end}}`))

func (s shareRoutes) preview(ctx context.Context, c *fiber.Ctx, v *shares.Visitor) []byte {
	// Without the setting, the address is relative, because the client chooses the Host header.
	link := s.Signing.BaseURL()
	if link == "" {
		link = s.Signing.BasePath()
	}
	_, missing := v.Cover(ctx)
	var b bytes.Buffer
	description := ""
	if v.Album != nil {
		description = v.Album.Description()
	}
	err := previewTags.Execute(&b, map[string]any{
		"Name": v.Share.Name, "Description": description, "URL": link + "/s/" + c.Params("key"),
		"Cover": missing == nil,
	})
	if err != nil { // it cannot fail
		return []byte("<title>Safelight</title>")
	}
	return b.Bytes()
}

// shareAnswer is what a visitor may know about a link.
type shareAnswer struct {
	Name string `json:"name"`
	// Description is that of an album; empty for none.
	Description string           `json:"description"`
	Kind        string           `json:"kind"`
	ExpiresAt   *time.Time       `json:"expiresAt"`
	Downloads   shares.Downloads `json:"downloads"`
	Pictures    int              `json:"pictures"`
	// UploadBytes is how many bytes visitors may still add; null if they may not add files.
	UploadBytes *int64 `json:"uploadBytes"`
	// Feedback says whether visitors may comment, pick and rate. The name is the one that this visitor gave; null:
	// none.
	Feedback bool    `json:"feedback"`
	Reviewer *string `json:"reviewer"`
}

// open begins or continues a visit, and describes the link.
func (s shareRoutes) open(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	if err := s.shareOpens.Allow(s.address(c)); err != nil {
		c.Context().SetConnectionClose() // the body stays unread
		return err
	}
	o, err := s.readObject(c)
	if err != nil {
		return err
	}
	password, err := o.text("password", true)
	if err != nil {
		return err
	}
	ctx, stop := requestContext(c, loginTimeout)
	defer stop()
	key, token := c.Params("key"), c.Cookies(visitCookie)
	ctx, v, visit, err := files(ctx).Shares.Open(ctx, key, token, password)
	if err != nil {
		return err
	}
	if visit != token {
		s.setCookie(c, visitCookie, visit, shares.VisitTime)
	}
	a := shareAnswer{
		Name: v.Share.Name, Kind: string(v.Share.Kind), ExpiresAt: v.Share.ExpiresAt, Downloads: v.Share.Downloads,
	}
	if v.Album != nil {
		a.Description = v.Album.Description()
	}
	if a.Feedback = v.Share.AllowFeedback; a.Feedback {
		r, err := v.Review(ctx, c.Cookies(reviewerCookie))
		if err != nil {
			return err
		}
		if r.Reviewer != nil {
			a.Reviewer = &r.Reviewer.Name
		}
	}
	if v.Share.UploadQuota > 0 {
		announced, err := files(ctx).Uploads.OfLink(v.Share.ID, files(ctx).Shares).AnnouncedBytes(ctx)
		if err != nil {
			return err
		}
		left := max(0, v.Left()-announced)
		a.UploadBytes = &left
	}
	if a.Pictures, err = v.Count(ctx, ""); err != nil {
		return err
	}
	return c.JSON(a)
}

// setCookie sets a cookie for the path of the link.
func (s shareRoutes) setCookie(c *fiber.Ctx, name, value string, age time.Duration) {
	c.Cookie(&fiber.Cookie{
		Name: name, Value: value, Path: s.Signing.BasePath() + "/s/" + c.Params("key"),
		MaxAge: int(age.Seconds()), HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode,
		Secure: c.Secure() || strings.HasPrefix(s.Signing.BaseURL(), "https://"),
	})
}

// sharePage is the max number of pictures or folders on a page.
const sharePage = 100

// sharedPicture is what a visitor may know about a picture.
type sharedPicture struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Width     *int32  `json:"width"`
	Height    *int32  `json:"height"`
	ThumbHash *string `json:"thumbHash"`
	Color     *string `json:"color"`
	Size      *int64  `json:"size"` // bytes of the file; null if it cannot be downloaded
	Version   string  `json:"version"`
	// Feedback is that of the visitor and of all visitors together; null if the link takes none.
	Feedback *sharedOpinion `json:"feedback"`
}

func (s shareRoutes) files(c *fiber.Ctx, v *shares.Visitor) error {
	after, err := v.After(c.Query("after"))
	if err != nil {
		return err
	}
	var p *shares.Page[*gallery.File]
	if show := c.Query("show"); show != "" {
		p, err = s.shown(c, v, shares.Shown(show), after)
	} else {
		p, err = v.Files(c.UserContext(), c.Query("folder"), after, sharePage)
	}
	if err != nil {
		return err
	}
	list := make([]sharedPicture, len(p.Items))
	for i, f := range p.Items {
		list[i] = sharedPicture{
			ID: v.ID(f), Name: f.Name(), Width: f.Width(), Height: f.Height(), ThumbHash: f.ThumbHash(),
			Color: f.DominantColour(), Version: strings.Trim(s.Signing.BlindTag(f.Path()+"\n"+f.Etag()), `"`),
		}
		if v.Share.Downloads == shares.Originals {
			size := f.Size()
			list[i].Size = &size
		}
	}
	if err := s.addOpinions(c, v, p.Items, list); err != nil {
		return err
	}
	return s.page(c, v, "files", list, p.Next)
}

// page answers with one page of a list and the cursor of the next one.
func (s shareRoutes) page(c *fiber.Ctx, v *shares.Visitor, name string, list any, next string) error {
	next, err := v.Cursor(next)
	if err != nil {
		return err
	}
	return c.JSON(fiber.Map{name: list, "next": optionalText(next)})
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// sharedFolder is what a visitor may know about a folder.
type sharedFolder struct {
	Name string `json:"name"`
	Path string `json:"path"` // relative to the shared folder
}

func (s shareRoutes) folders(c *fiber.Ctx, v *shares.Visitor) error {
	after, err := v.After(c.Query("after"))
	if err != nil {
		return err
	}
	p, err := v.Folders(c.UserContext(), c.Query("folder"), after, sharePage)
	if err != nil {
		return err
	}
	list := make([]sharedFolder, len(p.Items))
	for i, f := range p.Items {
		list[i] = sharedFolder{Name: f.Name(), Path: v.Inside(f.Path())}
	}
	return s.page(c, v, "folders", list, p.Next)
}

// renditions are the sizes in which visitors get a picture. None of them carries metadata.
var renditions = map[string]imaging.Operations{
	"small":  fitting(480, "format(webp)"),
	"medium": fitting(1024, "format(webp)"),
	"large":  fitting(2048, "format(webp)"),
	"jpeg":   fitting(2048, "format(jpeg)"),
	"cover":  fitting(1200, "format(jpeg)"),
}

// fitting returns the operations that scale a picture to fit into a square.
func fitting(side int, format imaging.Filters) imaging.Operations {
	return imaging.Operations{
		Fit: imaging.Fit{In: true}, Width: side, Height: side, Filters: "strip_metadata():" + format,
	}
}

// picture answers with a shared picture: a rendition, with the watermark of the link, or the file itself.
func (s shareRoutes) picture(c *fiber.Ctx, v *shares.Visitor) error {
	size := c.Params("size")
	f, err := v.File(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	switch size {
	case "original":
		if v.Share.Downloads != shares.Originals || v.Share.Watermark != "" {
			return fault.New(fault.Forbidden, "no originals")
		}
		return s.original(c, f)
	case "jpeg":
		if v.Share.Downloads == shares.NoDownloads {
			return fault.New(fault.Forbidden, "no downloads")
		}
		c.Set(fiber.HeaderContentDisposition, disposition(renamed(f.Name(), ".jpg")))
	case "small", "medium", "large":
	default:
		return fault.New(fault.NotFound, "no such size")
	}
	return s.rendition(c, v, f, size)
}

// renamed returns the name of a file with another extension.
func renamed(name, extension string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name + extension
}

func (s shareRoutes) cover(c *fiber.Ctx, v *shares.Visitor) error {
	f, err := v.Cover(c.UserContext())
	if err != nil {
		return err
	}
	c.Set(headerResourcePolicy, "cross-origin") // other programs show it next to the link
	return s.rendition(c, v, f, "cover")
}

// shared returns the request of a rendition of a file that the visitor may see.
func (s shareRoutes) shared(v *shares.Visitor, path, size string) (*picture, error) {
	a, err := s.Signing.Rendition(path, v.Share.Watermark, renditions[size])
	if err != nil {
		return nil, err
	}
	return s.pictureOf(a), nil
}

func (s shareRoutes) pictureOf(a *signing.ParsedURL) *picture {
	return &picture{
		request: a.Request, limits: s.config.Limits, private: true, ignoreHints: true, sealed: true,
		undated: true, unpinned: a.Unpinned, labels: a.Labels,
	}
}

func (s shareRoutes) rendition(c *fiber.Ctx, v *shares.Visitor, f *gallery.File, size string) error {
	p, err := s.shared(v, f.Path(), size)
	if err == nil {
		err = s.prepare(c, p)
	}
	if err == nil && p.isOriginal() {
		err = fault.New(fault.Forbidden, "the preset sends the file as it is")
	}
	if err != nil {
		return err
	}
	c.Locals(localSealed, true)                   // keeps the path out of errors
	c.SetUserContext(access.All(c.UserContext())) // the picture was checked; an admin chose the watermark
	err = s.present(c, p)
	c.Response().Header.Del("X-Warnings")
	return err
}

func (s shareRoutes) original(c *fiber.Ctx, f *gallery.File) error {
	a, err := s.Signing.Rendition(f.Path(), "", imaging.Operations{Filters: "raw()"})
	if err != nil {
		return err
	}
	c.Locals(localSealed, true)
	c.Set(fiber.HeaderContentDisposition, disposition(f.Name()))
	return s.Server.original(c, s.pictureOf(a))
}

// archive sends a ZIP of all shared files, or of one folder among them. The link is checked again before each file.
func (s shareRoutes) archive(c *fiber.Ctx, v *shares.Visitor) error {
	if v.Share.Downloads == shares.NoDownloads {
		return fault.New(fault.Forbidden, "no downloads")
	}
	ctx := c.UserContext()
	// Listing the files takes as long as anything else here, so it counts as part of the download.
	leave, err := s.archiveDownloads.Enter(networkOf(ctx))
	if err != nil {
		return err
	}
	streams := false
	defer func() {
		if !streams {
			leave()
		}
	}()
	paths, err := v.Selection(ctx, c.Query("folder"))
	if err != nil {
		return err
	}
	d, err := files(ctx).Archives.Select(ctx, paths, v.Share.Name, files(ctx).Gallery.ShownToVisitors)
	if err != nil {
		return err
	}
	key, token, selected := c.Params("key"), c.Cookies(visitCookie), ctx
	d.Check = func(ctx context.Context) error {
		within, now, err := files(ctx).Shares.Visit(ctx, key, token)
		if err != nil {
			return err
		}
		same, err := v.Same(selected, now, within)
		if err == nil && !same {
			err = fault.New(fault.Conflict, "the link was changed meanwhile")
		}
		return err
	}
	if v.Share.Downloads != shares.Originals || v.Share.Watermark != "" {
		d.RenderAll(".jpg", func(ctx context.Context, path string) ([]byte, error) { return s.render(ctx, v, path) })
	}
	if c.Method() == fiber.MethodHead {
		archiveRoutes(s).archiveHeaders(c, d.Name)
		return nil
	}
	size := d.Size()
	streams = true
	archiveRoutes(s).sendArchive(c, d, size, leave)
	return nil
}

// render returns the JPEG of a shared file, outside of an HTTP request for it.
func (s shareRoutes) render(ctx context.Context, v *shares.Visitor, path string) ([]byte, error) {
	p, err := s.shared(v, path, "jpeg")
	if err != nil {
		return nil, err
	}
	if p.calls, p.warnings, err = p.request.Operations.Filters.Calls(p.limits.Strict); err != nil {
		return nil, err
	}
	if p.isOriginal() {
		return nil, fault.New(fault.Forbidden, "the preset sends the file as it is")
	}
	ctx = access.All(ctx)
	var result *imaging.Result
	err = s.whileUnchanged(ctx, p, func() error {
		r, _, err := s.renderOnce(ctx, p)
		if err == nil {
			result, err = resultOf(r.entry)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result.Data, nil
}
