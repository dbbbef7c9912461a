package server

import (
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/accesslog"
)

// credentialRoutes are the routes whose last segment is a credential: whoever knows it needs no token.
var credentialRoutes = []string{uploadPath, archivePath}

// loggedPath returns a path as logs and traces show it: with the name of the parameter in place of a credential, and
// not longer than accesslog.MaxPath.
func loggedPath(raw string) string {
	spellings := []string{raw}
	if decoded, err := url.PathUnescape(raw); err == nil {
		// no route of ours, but a proxy or a client may have encoded or doubled a slash before the credential
		spellings = append(spellings, path.Clean("/"+decoded))
	}
	for _, route := range credentialRoutes {
		prefix, _, _ := strings.Cut(route, ":")
		for _, p := range spellings {
			if len(p) > len(prefix) && strings.EqualFold(p[:len(prefix)], prefix) { // Fiber ignores case
				return route
			}
		}
	}
	return accesslog.ShortenPath(raw)
}

// logRequest logs a request with the status and the body's length of its answer.
func logRequest(s *Server, c *fasthttp.RequestCtx, l *accesslog.Request, at time.Time) {
	l.Status, l.Bytes, l.Address = c.Response.StatusCode(), bodyBytes(&c.Response), s.config.address(c)
	s.accessLog.Write(l, at)
}

// bodyBytes returns the length of the response body; 0 for a stream of unknown length, which it does not read.
func bodyBytes(r *fasthttp.Response) int {
	if r.IsBodyStream() {
		return max(0, r.Header.ContentLength())
	}
	return len(r.Body())
}
