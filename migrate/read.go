package migrate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// maxLine is the max length of a line in bytes. Longer lines are ignored.
const maxLine = 256 << 10

// lines calls yield with each line of r, without its end. A line that is too long becomes empty.
func lines(r io.Reader, yield func(line string)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for number, long := 1, false; ; {
		part, isPrefix, err := in.ReadLine()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading line %d: %w", number, err)
		}
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if isPrefix {
			continue
		}
		if long {
			line = line[:0]
		}
		yield(string(line))
		number, line, long = number+1, line[:0], false
	}
}

// logged is the request of a line of an access log in the common or combined format, or of nginx: "GET /path HTTP/1.1"
// 200.
var logged = regexp.MustCompile(`"([A-Z]+) (\S+)(?: HTTP/[0-9.]+)?" ([0-9]{3})\b`)

// urlOf returns the URL of a line: the line itself, the request of an access log, or a field of a JSON object. ok is
// false for a line without a URL, for methods other than GET and HEAD, and for a request that failed.
func urlOf(line string) (url string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", false
	}
	if line[0] == '{' {
		return urlOfJSON(line)
	}
	if m := logged.FindStringSubmatch(line); m != nil {
		return accepted(m[1], m[2], m[3])
	}
	return line, !strings.ContainsAny(line, " \t\"")
}

// accepted returns the URL of a request. ok is false if the method or the status excludes it. Both may be empty.
func accepted(method, url, status string) (string, bool) {
	code, _ := strconv.Atoi(status)
	return url, url != "" && (method == "" || method == "GET" || method == "HEAD") && code < 400
}

// urlOfJSON parses a line of a JSON log: of Caddy and Traefik, or a usual format of nginx and HAProxy.
func urlOfJSON(line string) (url string, ok bool) {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil {
		return "", false
	}
	if request, nested := fields["request"].(map[string]any); nested {
		for name, value := range request {
			fields[name] = value
		}
	}
	first := func(names ...string) string {
		for _, name := range names {
			switch value := fields[name].(type) {
			case string:
				if value != "" {
					return value
				}
			case float64:
				return strconv.FormatFloat(value, 'f', -1, 64)
			}
		}
		return ""
	}
	method, status := first("request_method", "method", "RequestMethod"),
		first("status", "status_code", "DownstreamStatus")
	if request, isLine := fields["request"].(string); isLine {
		if parts := strings.Fields(request); len(parts) >= 2 {
			return accepted(parts[0], parts[1], status)
		}
	}
	url = first("request_uri", "uri", "RequestPath", "url", "path")
	if query := first("args", "query", "query_string"); query != "" && !strings.Contains(url, "?") {
		url += "?" + strings.TrimPrefix(query, "?")
	}
	return accepted(method, url, status)
}
