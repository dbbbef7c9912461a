package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/safelight/safelight/imaging"
)

type urlCommand struct {
	Sign    urlSign    `cmd:"" help:"Sign a path: [meta/]OPERATIONS/IMAGE."`
	Explain urlExplain `cmd:"" help:"Explain what an image URL does."`
}

type urlSign struct {
	Path string `arg:"" help:"[meta/]OPERATIONS/IMAGE, such as fit-in/300x200/photos/cat.jpg."`
}

// Run prints the signed URL: absolute if a base URL is configured, else a path. It signs the path as written, without
// leading slashes.
func (c urlSign) Run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	path := strings.TrimLeft(c.Path, "/")
	request, err := imaging.Parse("unsafe/" + path)
	if err != nil {
		return err
	}
	if request.Image == "" {
		return fmt.Errorf("%s does not name an image: expected [meta/]OPERATIONS/IMAGE", path)
	}
	_, err = fmt.Fprintln(p.stdout, at.Signing.SignPath(path))
	return err
}

type urlExplain struct {
	URL string `arg:"" name:"url" help:"An image URL or its path."`
}

// Run prints one line per step, then the warnings, then whether the signature is valid.
func (c urlExplain) Run(p *program) error {
	path := rawPath(c.URL)
	request, err := imaging.Parse(path)
	if err != nil {
		return err
	}
	for _, line := range request.Explain() {
		fmt.Fprintln(p.stdout, line)
	}
	for _, w := range imaging.Params(path, request, nil).Warnings {
		fmt.Fprintln(p.stdout, "warning: "+w)
	}
	if request.Hash == "" {
		return nil
	}
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	verdict := "signature: wrong"
	if at.Signing.VerifyURL(imaging.SplitSigned(path)) {
		verdict = "signature: right"
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
