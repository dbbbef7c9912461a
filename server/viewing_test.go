package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadScopeURLs signs URLs of operations with each role: what a viewer needs with read scope, the rest with write.
func TestReadScopeURLs(t *testing.T) {
	s := newStage(t, nil)
	view, write := "guest user admin", "user admin"
	for in, may := range map[string]string{
		`{}`:                        view,
		`{width: 300, height: 200}`: view,
		`{width: 300, fitIn: true, fullFitIn: true, adaptiveFitIn: true}`:            view,
		`{width: 30, height: 30, stretch: true}`:                                     view,
		`{cropLeft: 0.1, cropTop: 0.1, cropRight: 0.9, cropBottom: 0.9}`:             view,
		`{width: 30, height: 30, smart: true, hAlign: "left", vAlign: "top"}`:        view,
		`{filters: [{name: "focal", args: "0.1x0.1:0.2x0.2"}]}`:                      view,
		`{filters: [{name: "format", args: "webp"}, {name: "quality", args: "70"}]}`: view,
		`{filters: [{name: "page", args: "2"}, {name: "no_upscale"}]}`:               view,
		`{filters: [{name: "blur", args: "3"}]}`:                                     write,
		`{filters: [{name: "format", args: "webp"}, {name: "sharpen", args: "50"}]}`: write,
		`{filters: [{name: "watermark", args: "a/b.png,0,0,0"}]}`:                    write,
		`{filters: [{name: "image", args: "10x10/a/b.png"}]}`:                        write,
		`{filters: [{name: "upscale"}]}`:                                             write,
		`{filters: [{name: "raw"}]}`:                                                 write,
		`{filters: [{name: "expire", args: "1"}]}`:                                   write,
		`{filters: [{name: "preview"}]}`:                                             write,
		`{paddingLeft: 1}`:                                                           write,
		`{hFlip: true}`:                                                              write,
		`{vFlip: true}`:                                                              write,
		`{trim: true}`:                                                               write,
	} {
		for _, actor := range []string{"guest", "user", "admin"} {
			for _, field := range []string{`url(operations: %s)`, `metaUrl(operations: %s)`,
				`metaUrl(operations: %s, expiresIn: 60)`, `url(operations: %s, expiresIn: 60)`,
				`srcset(widths: [1, 2], operations: %s)`} {
				query := `{ file(path: "a/b.png") { x: ` + fmt.Sprintf(field, in) + ` } }`
				a := s.graphQL(actor, query, nil)
				x, _ := a.json("data", "file", "x").(string)
				if strings.Contains(may, actor) {
					if a.code() != "" || !strings.HasPrefix(x, "/") {
						s.Errorf("%s as %s: %s, expected a URL", query, actor, a.body)
					}
				} else if a.code() != "FORBIDDEN" || x != "" {
					s.Errorf("%s as %s: %s, expected FORBIDDEN", query, actor, a.body)
				}
			}
		}
	}
}

// TestMetaURLs signs metadata filters for those who may only read, which `url` does not, and nothing else beyond it.
func TestMetaURLs(t *testing.T) {
	s := newStage(t, nil)
	sign := func(field, filter, args string) answer {
		return s.graphQL(
			"guest",
			fmt.Sprintf(
				`{ file(path: "a/b.png") { x: %s(operations: {filters: [{name: %q, args: %q}]}) } }`, field,
				filter, args,
			),
			nil,
		)
	}
	for name, args := range map[string]string{"palette": "4", "blurhash": "4,3", "dominant": "", "sha256": "",
		"xmp": ""} {
		a := sign("metaUrl", name, args)
		x, _ := a.json("data", "file", "x").(string)
		if !strings.Contains(x, "/meta/filters:"+name+"("+args+")/a/b.png?v=") {
			s.Errorf("%s: %s", name, a.body)
		}
		if a := sign("url", name, args); a.code() != "FORBIDDEN" {
			s.Errorf("url with %s: %s, expected FORBIDDEN", name, a.body)
		}
	}
	if a := sign("metaUrl", "blur", "3"); a.code() != "FORBIDDEN" {
		s.Errorf("blur: %s, expected FORBIDDEN", a.body)
	}
}
