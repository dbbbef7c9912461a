package main

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing"
)

// urlSign prints the signed URL: absolute if a base URL is configured, else a path. It signs the path as written,
// without leading slashes.
func (p *program) urlSign() *cobra.Command {
	return &cobra.Command{
		Use:   "sign <path>",
		Short: "Sign a path: [meta/]OPERATIONS/IMAGE.",
		Long:  "Signs a path such as fit-in/300x200/photos/cat.jpg.",
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
		Long:  "Signs a path such as fit-in/300x200/photos/cat.jpg, and encrypts the part that names the image.",
		RunE: p.withSite(func(at *site, args []string) error {
			request, err := imaging.Parse("unsafe/" + strings.TrimLeft(args[0], "/"))
			if err != nil {
				return err
			}
			if request.Meta || request.Encrypted || strings.HasPrefix(request.Image, "preset(") {
				return fmt.Errorf("%s asks for metadata, calls a preset or is already encrypted: "+
					"expected OPERATIONS/IMAGE", args[0])
			}
			url, err := at.Signing.GenerateEncryptedURL(request.Image, request.Operations)
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
		Long:  "Explains an image URL or its path.",
		RunE: func(_ *cobra.Command, args []string) error {
			c.URL = args[0]
			return c.run(p)
		},
	}
	command.Flags().StringVar(&c.Size, "size", "",
		"Width and height of the image in pixels as `WxH`, such as 4000x3000: adds the size after each step, "+
			"and which code of the engine makes the result, in which process.")
	return command
}

// lines explains the request, with sizes and the route if the size of the image is given.
func (c urlExplain) lines(p *program, r imaging.Request) ([]string, error) {
	if c.Size == "" {
		return r.Explain(), nil
	}
	width, height, _ := strings.Cut(c.Size, "x")
	w, err1 := strconv.Atoi(width)
	h, err2 := strconv.Atoi(height)
	if err1 != nil || err2 != nil || w < 1 || h < 1 {
		return nil, fault.OnField(fault.Invalid, "size", "the size is %s, expected width and height in pixels as "+
			"4000x3000", fault.Quote(c.Size))
	}
	header := imaging.Header{Width: w, Height: h, Pages: 1, Bands: 3, Orientation: 1}
	header.Format, _ = imaging.ParseFormat(path.Ext(r.Image))
	var writable []imaging.Format
	for _, t := range imaging.Formats() {
		if t.Saver != "" {
			writable = append(writable, t.Format)
		}
	}
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	plan, err := imaging.NewPlan(header, r.Operations, imaging.Limits{}, imaging.PlanOptions{Writable: writable,
		Describe: r.Meta, Isolation: imaging.Isolation(s.Isolation)})
	if err != nil {
		return nil, err
	}
	lines := plan.Explain(r.Image)
	if plan, err = plan.Assumed(); err != nil { // nothing is trimmed
		return nil, err
	}
	return append(lines, "Route: "+plan.Route.String()), nil
}

// run prints one line per step, then the warnings, then whether the signature is valid.
func (c urlExplain) run(p *program) error {
	raw := rawPath(c.URL)
	hash, _ := imaging.SplitSigned(raw)
	var at *site
	var known *preset.Set
	if hash != "" && hash != "unsafe" || strings.Contains(raw, "preset(") {
		var err error
		if at, err = p.openExisting(); err != nil {
			return err
		}
		defer at.Close()
		known = at.Presets.Set()
	}
	request, ordinary, err := signing.Ordinary(raw, known)
	if err != nil {
		return err
	}
	lines, err := c.lines(p, request)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(p.stdout, line)
	}
	for _, w := range imaging.Params(ordinary, request, nil).Warnings {
		fmt.Fprintln(p.stdout, "warning: "+w)
	}
	if request.Hash == "" {
		return nil
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
