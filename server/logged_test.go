package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestCredentialsAreNotLogged sends requests with a credential in the path, in every spelling that a route, a proxy or
// a client knows, and looks for it in logs, traces and metrics.
func TestCredentialsAreNotLogged(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	for name, limit := range map[string]int{"unlimited": 0, "rate limited": 3} {
		t.Run(name, func(t *testing.T) {
			s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.RateLimit = limit },
				func(d *server.Deps) { d.Tracer = provider.Tracer("test") })
			const secret = "tHe-cReDeNtIaL"
			paths := []string{"/api/archives/" + secret, "/api/uploads/" + secret}
			for _, one := range paths {
				for _, path := range spellingsOf(one, secret) {
					for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "POST", "OPTIONS",
						"BREW"} {
						s.do(method, path, "", "X-Request-Id", "request-of-the-test")
					}
				}
			}
			log := s.log.String()
			for _, route := range []string{"path=/api/archives/:token ", "path=/api/uploads/:id "} {
				if !strings.Contains(log, route) {
					t.Errorf("no line has %s", route)
				}
			}
			text := log + s.do("GET", "/metrics", "").body
			for _, span := range spans.Ended() {
				text += fmt.Sprintln(span.Name(), span.Attributes(), span.Events(), span.Status())
			}
			if found := regexp.MustCompile(`(?i).*credential.*`).FindString(text); found != "" {
				t.Errorf("the credential is shown: %.300s", found)
			}
		})
	}
}

// spellingsOf returns a path in forms that reach its route, or would if a proxy had left them alone.
func spellingsOf(path, secret string) []string {
	rest := strings.TrimSuffix(path, secret)
	return []string{
		path, strings.ToUpper(rest) + secret, "/Api" + path[4:], path + "/", path + "/more", path + "%2Fmore", path +
			"%2F..%2F..", path + "?a=b",
		"/" + path, "//" + path[1:], strings.Replace(path, "api/", "api//", 1),
		strings.Replace(path, "api/", "api%2F", 1), rest + "/" + secret,
		strings.Replace(path, "api", "%61pi", 1), "/./" + path[1:], "/x/.." + path, rest + "x%zz" + secret,
	}
}

// TestLongPaths: a line of the log has a bounded length, however long the path is.
func TestLongPaths(t *testing.T) {
	s := newStage(t, nil)
	for _, path := range []string{"/unsafe/" + strings.Repeat("a", 20<<10), "/api/" + strings.Repeat("%ff", 7<<10),
		s.signed("300x0/" + strings.Repeat("b/", 10<<10))} {
		s.do("GET", path, "", "User-Agent", strings.Repeat("u", 1000), "Referer", strings.Repeat("r", 1000))
	}
	longest := 0
	for line := range strings.Lines(s.log.String()) {
		longest = max(longest, len(line))
	}
	if limit := 2500; longest > limit || longest < 2048 {
		t.Errorf("the longest line has %d bytes, expected at most %d", longest, limit)
	}
}
