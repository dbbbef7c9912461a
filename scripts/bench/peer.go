package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// shape returns the URL path of a job; ok is false if the kind of server does not support the job.
type shape func(j job, source string) (path string, ok bool)

// shapes are the known kinds of servers, by the prefix of the peer's name.
var shapes = map[string]shape{
	"safelight": safelightShape, "imagor": thumborShape, "thumbor": thumborShape,
	"imgproxy": imgproxyShape, "imaginary": imaginaryShape,
}

// shapeFor returns the shape of a peer.
func shapeFor(name string) (shape, error) {
	for prefix, s := range shapes {
		if strings.HasPrefix(name, prefix) {
			return s, nil
		}
	}
	return nil, fmt.Errorf("peer %s: expected a name that starts with safelight, imagor, thumbor, imgproxy or "+
		"imaginary", name)
}

func safelightShape(j job, source string) (string, bool) {
	j.Quality = j.Ours
	return thumborShape(j, source)
}

func thumborShape(j job, source string) (string, bool) {
	if j.Mode == "meta" {
		return "/unsafe/meta/" + source, true
	}
	if j.Filters != "" {
		return fmt.Sprintf("/unsafe/fit-in/%dx%d/filters:%s:format(%s):quality(%d)/%s", j.Width, j.Height,
			strings.ReplaceAll(j.Filters, "{source}", source), j.Format, j.Quality, source), true
	}
	fit := ""
	if j.Mode == "fit" {
		fit = "fit-in/"
	}
	filters := "format(" + j.Format + ")"
	if j.Quality > 0 {
		filters += fmt.Sprintf(":quality(%d)", j.Quality)
	}
	return fmt.Sprintf("/unsafe/%s%dx%d/filters:%s/%s", fit, j.Width, j.Height, filters, source), true
}

func imgproxyShape(j job, source string) (string, bool) {
	if j.Mode == "meta" || j.Filters != "" { // only in the paid edition
		return "", false
	}
	mode := "fit"
	if j.Mode == "crop" {
		mode = "fill"
	}
	quality := ""
	if j.Quality > 0 {
		quality = fmt.Sprintf("/q:%d", j.Quality)
	}
	return fmt.Sprintf("/unsafe/rs:%s:%d:%d%s/plain/local:///%s@%s", mode, j.Width, j.Height, quality, source,
		j.Format), true
}

func imaginaryShape(j job, source string) (string, bool) {
	if j.Format == "avif" || j.Filters != "" {
		return "", false
	}
	if j.Mode == "meta" {
		return "/info?file=" + url.QueryEscape(source), true
	}
	q := url.Values{"width": {strconv.Itoa(j.Width)}, "height": {strconv.Itoa(j.Height)}, "type": {j.Format},
		"file": {source}}
	if j.Quality > 0 {
		q.Set("quality", strconv.Itoa(j.Quality))
	}
	return "/" + j.Mode + "?" + q.Encode(), true
}
