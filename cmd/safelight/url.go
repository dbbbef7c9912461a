package main

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/storage"
)

// urlSign prints the signed URL: absolute if a base URL is configured, else a path. It signs the path as written,
// without leading slashes.
func (p *program) urlSign() *cobra.Command {
	return &cobra.Command{
		Use:   "sign <path>",
		Short: "Sign a path: [meta/]OPERATIONS/IMAGE.",
		Long:  "Sign a path such as fit-in/300x200/photos/cat.jpg.",
		RunE: p.withSite(func(at *site, args []string) error {
			path := strings.TrimLeft(args[0], "/")
			if strings.HasPrefix(path, family.Prefix) {
				return fmt.Errorf("%s begins like a family, which has a signature of its own: if it is an image, "+
					"write family%%28", path)
			}
			request, err := imaging.Parse("unsafe/" + path)
			if err != nil {
				return err
			}
			if request.Image == "" {
				return fmt.Errorf("%s does not name an image: expected [meta/]OPERATIONS/IMAGE", path)
			}
			if err := at.Signing.CheckReadable(); err != nil {
				return err
			}
			if encoded := imaging.EncodeUnsafe(path); encoded != path {
				fmt.Fprintf(p.stderr, "safelight: warning: clients send some characters of this path percent-encoded, "+
					"and the signature would not match: sign %s instead\n", quoteForShell(encoded))
			}
			_, err = fmt.Fprintln(p.stdout, at.Signing.SignPath(path))
			return err
		}),
	}
}

// urlEncrypt prints a signed URL that does not reveal the path of the image.
func (p *program) urlEncrypt() *cobra.Command {
	return &cobra.Command{
		Use:   "encrypt <path>",
		Short: "Sign a path, with the path of its image encrypted: OPERATIONS/IMAGE.",
		Long:  "Sign a path such as fit-in/300x200/photos/cat.jpg, and encrypt the part that names the image.",
		RunE: p.withSite(func(at *site, args []string) error {
			request, err := imaging.Parse("unsafe/" + strings.TrimLeft(args[0], "/"))
			if err != nil {
				return err
			}
			if request.Meta || request.Encrypted || strings.HasPrefix(request.Image, "preset(") {
				return fmt.Errorf("%s asks for metadata, calls a preset or is already encrypted: "+
					"expected OPERATIONS/IMAGE", args[0])
			}
			if err := at.Signing.CheckReadable(); err != nil {
				return err
			}
			url, err := at.Signing.GenerateEncryptedURL(operator(p.ctx), request.Image, request.Operations)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.stdout, url)
			return err
		}),
	}
}

type urlExplain struct {
	URL  string
	Size string
}

func (p *program) urlExplain() *cobra.Command {
	var c urlExplain
	command := &cobra.Command{
		Use:   "explain <url>",
		Short: "Explain what an image URL does.",
		Long: "Explain an image URL or its path. The last lines are its route: which code makes the result, and in " +
			"which process. It depends on the image, which is read if the storage of the settings has it and it is a " +
			"JPEG, PNG or WebP; otherwise the routes of usual images are printed. The database is opened only for " +
			"signatures and presets.",
		RunE: func(_ *cobra.Command, args []string) error {
			c.URL = args[0]
			return c.run(p)
		},
	}
	command.Flags().StringVar(&c.Size, "size", "",
		"Width and height in pixels as `WxH`, such as 4000x3000, of an image that cannot be read here.")
	return command
}

// header returns the header of the picture if it is a canvas, its size is given, or its file is readable on this
// machine.
func (c urlExplain) header(ctx context.Context, e explained, image string) (h imaging.Header, known bool, err error) {
	if imaging.IsCanvas(image) {
		colour, err := imaging.ParseCanvas(image)
		return imaging.CanvasHeader(colour), true, err
	}
	if c.Size == "" {
		h, known = e.read(ctx, image)
		return h, known, nil
	}
	width, height, _ := strings.Cut(c.Size, "x")
	across, err1 := strconv.Atoi(width)
	down, err2 := strconv.Atoi(height)
	if err1 != nil || err2 != nil || across < 1 || down < 1 {
		return h, false, fault.OnField(fault.Invalid, "size", "the size is %s, expected width and height in pixels as "+
			"4000x3000", fault.Quote(c.Size))
	}
	h = imaging.Header{Width: across, Height: down, Pages: 1, Bands: 3, Orientation: 1}
	h.Format, _ = imaging.ParseFormat(path.Ext(image))
	return h, true, nil
}

// lines explains the request. If the header of the picture is known, it gives the sizes and the route, otherwise all
// routes that a picture with that name may take.
func (c urlExplain) lines(ctx context.Context, e explained, r imaging.Request) (lines []string, err error) {
	s := e.settings
	limits := imaging.Limits{Options: imaging.Options{Linear: s.Limits.Linear, KeepMetadata: s.Limits.KeepMetadata}}
	options := imaging.PlanOptions{Describe: r.Meta, Efforts: s.efforts(), Isolation: imaging.Isolation(s.Isolation)}
	for _, t := range imaging.Formats() {
		if t.Saver != "" {
			options.Writable = append(options.Writable, t.Format)
		}
	}
	if options.Layers, err = e.layers(ctx, r.Operations); err != nil {
		return nil, err
	}
	header, known, err := c.header(ctx, e, r.Image)
	if err != nil {
		return nil, err
	}
	if !known {
		lines = r.Explain()
		for _, route := range possibleRoutes(r, limits, options) {
			lines = append(lines, "Possible route: "+route)
		}
		return lines, nil
	}
	plan, err := imaging.NewPlan(header, r.Operations, limits, options)
	if err != nil {
		return nil, err
	}
	lines = plan.Explain(r.Image)
	if plan, err = plan.Assumed(); err != nil { // as if nothing were trimmed
		return nil, err
	}
	return append(lines, "Route: "+plan.Route.String()), nil
}

// possibleRoutes returns the routes of small and large pictures and animations of the usual kinds, the most usual
// first. The kinds are JPEG, PNG and WebP, unless the name gives the format.
func possibleRoutes(r imaging.Request, limits imaging.Limits, options imaging.PlanOptions) (routes []string) {
	formats := []imaging.Format{imaging.JPEG, imaging.PNG, imaging.WebP}
	if f, ok := imaging.ParseFormat(path.Ext(r.Image)); ok {
		formats = []imaging.Format{f}
	}
	for _, format := range formats {
		for _, h := range []imaging.Header{
			{Width: 4000, Height: 3000, Bands: 3},
			{Width: 12_000, Height: 9000, Bands: 3},
			{Width: 4000, Height: 3000, Bands: 3, Whole: true},
			{Width: 4000, Height: 3000, Bands: 4, Alpha: true},
			{Width: 400, Height: 300, Bands: 3},
			{Width: 400, Height: 300, Bands: 4, Alpha: true, Pages: 10},
		} {
			h.Format, h.Pages, h.Orientation = format, max(h.Pages, 1), 1
			plan, err := imaging.NewPlan(h, r.Operations, limits, options)
			if err != nil {
				continue // other sizes may be within the limits
			}
			if plan, err = plan.Assumed(); err == nil && !slices.Contains(routes, plan.Route.String()) {
				routes = append(routes, plan.Route.String())
			}
		}
	}
	return routes
}

// explained holds what is needed to explain a URL.
type explained struct {
	settings *Settings
	at       *site // nil if the URL has neither a signature nor a preset
}

// open opens what the URL needs. Only signatures and presets need the database, which opening may create or migrate.
func (c urlExplain) open(p *program, raw string) (e explained, err error) {
	hash, _ := imaging.SplitSigned(raw)
	if hash != "" && hash != "unsafe" || strings.Contains(raw, "preset(") {
		if e.at, err = p.openExisting(); err == nil {
			e.settings = e.at.Settings
		}
		return e, err
	}
	e.settings, err = p.settings()
	return e, err
}

// read returns the header of an image if it is readable on this machine. Without a site, it looks in the storage in
// the settings, because a storage that an admin has chosen is recorded only in the database.
func (e explained) read(ctx context.Context, image string) (h imaging.Header, known bool) {
	k, err := storage.ParseKey(image)
	if err != nil || k.IsHidden() {
		return h, false
	}
	var store storage.Store
	if e.at != nil {
		store = e.at.Files().Store
	} else {
		if store, err = openReadOnly(ctx, e.settings, e.settings.Storage); err != nil {
			return h, false
		}
		defer store.Close()
	}
	file, err := store.Open(ctx, k)
	if err != nil {
		return h, false // the file may be on another machine, or may not exist yet
	}
	defer file.Close()
	return vips.Parse(imaging.Source{Reader: file, Size: file.Stat().Size})
}

// layers returns the headers of the pictures that are drawn over the image. If one is not readable here, only its
// format is known, by its name.
func (e explained) layers(ctx context.Context, o imaging.Operations) (map[string]imaging.Header, error) {
	images, err := imaging.Layers(o, imaging.Limits{})
	headers := make(map[string]imaging.Header, len(images))
	for _, image := range images {
		if imaging.IsCanvas(image) {
			continue
		}
		h, known := e.read(ctx, image)
		if !known {
			h.Format, _ = imaging.ParseFormat(path.Ext(image))
		}
		headers[image] = h
	}
	return headers, err
}

// run prints a line for each step, the warnings, and whether the signature is valid.
func (c urlExplain) run(p *program) error {
	raw := rawPath(c.URL)
	e, err := c.open(p, raw)
	if err != nil {
		return err
	}
	at := e.at
	var known *preset.Set
	if at != nil {
		defer at.Close()
		known = at.Presets.Set()
	}
	request, ordinary, err := signing.Ordinary(raw, known)
	if err != nil {
		return err
	}
	lines, err := c.lines(p.ctx, e, request)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(p.stdout, line)
	}
	for _, w := range imaging.Params(ordinary, request, nil).Warnings {
		fmt.Fprintln(p.stdout, "warning: "+w)
	}
	if request.Hash == "" || at == nil {
		return nil
	}
	if err := at.Signing.CheckReadable(); err != nil {
		return err
	}
	verdict := "signature: wrong"
	if a, err := at.Signing.Read(raw); err == nil && a.Signed {
		verdict = "signature: right"
		if a.Denied != nil {
			verdict += "\nrejected: " + fault.Of(a.Denied).Message
		}
	}
	_, err = fmt.Fprintln(p.stdout, verdict)
	return err
}

// rawPath removes scheme, host and query from a URL without decoding it.
func rawPath(text string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if rest, found := strings.CutPrefix(text, scheme); found {
			_, text, _ = strings.Cut(rest, "/")
		}
	}
	path, _, _ := strings.Cut(text, "?")
	if _, err := url.PathUnescape(path); err != nil {
		return text
	}
	return path
}
