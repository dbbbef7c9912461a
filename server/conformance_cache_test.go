package server_test

import "testing"

// TestConformCached: a cached response equals a rendered one, and HEAD knows its length.
func TestConformCached(t *testing.T) {
	s := cachedStage(t)
	const path, body = "10x10/filters:attachment(x)/a/b.png", "picture 10x10/filters:attachment(x)/a/b.png"
	length := map[string]string{"Content-Length": "43", "Content-Type": "image/webp",
		"Content-Disposition": `attachment; filename="x.webp"`, "Accept-Ranges": "bytes", "Cache-Status": "~hit",
		"ETag": "*"}
	s.run([]exchange{
		{name: "HEAD before", method: "HEAD", path: path, status: 200,
			want: map[string]string{"Content-Length": "", "Cache-Status": ""}},
		{name: "rendered", path: path, status: 200, engine: 1, body: body},
		{name: "kept", path: path, status: 200, body: body, want: length},
		{name: "HEAD", method: "HEAD", path: path, status: 200, want: length},
		{name: "part", path: path, send: []string{"Range", "bytes=0-6"}, status: 206, body: "picture",
			want: map[string]string{"Cache-Status": "~hit", "Content-Range": "bytes 0-6/43"}},
		{name: "none of it", path: path, send: []string{"Range", "bytes=99-"}, status: 416,
			want: map[string]string{"Content-Range": "bytes */43"}},
		{name: "HEAD with a range", method: "HEAD", path: path, send: []string{"Range", "bytes=0-6"}, status: 200,
			want: length},
		{name: "condition", path: path, send: []string{"If-None-Match", "*"}, status: 304},
		{name: "metadata rendered", path: "meta/a/b.png", status: 200, engine: 1},
		{name: "metadata, HEAD", method: "HEAD", path: "meta/a/b.png", status: 200,
			want: map[string]string{"Content-Length": "*", "Content-Type": "application/json"}},
	})
}
