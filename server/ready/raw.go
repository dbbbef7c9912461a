package ready

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/cache"
)

// Raw is an answer in bytes.
type Raw struct {
	*Answer
	Head, Body []byte // Head lacks X-Request-Id and the empty line
	ID         []byte // X-Request-Id of the request; nil if it has none
	Forwarded  []byte // X-Forwarded-For of the request
}

// Find returns what Send would send to a request that has come as these bytes, all of it and nothing behind it. It appends the head to
// the one that is given. ok is false if nothing was kept that still applies, or only fasthttp reads such a request.
func (c *Cache) Find(request []byte, now time.Time, head []byte) (r Raw, ok bool) {
	f, ok := c.parse(request)
	if !ok {
		return r, false
	}
	a, body := c.find(&f)
	if a == nil || a.head == nil || len(body) != a.length {
		return r, false
	}
	start := len(head)
	head = append(head, a.head...)
	copy(head[start+a.date:], c.date.at(now))
	return Raw{Answer: a, Head: head, Body: body, ID: f.id, Forwarded: f.forwarded}, true
}

// write writes the head as fasthttp does for a body of the same length; none for a response that ends the connection.
func (a *Answer) write(result *cache.Entry) {
	var h fasthttp.ResponseHeader
	a.Header.CopyTo(&h)
	if a.cached {
		a.length = len(result.Body)
		h.SetContentLength(a.length)
	}
	const date = "\r\nDate: "
	head := h.AppendBytes(nil)
	at := bytes.Index(head, []byte(date)) + len(date)
	if h.ConnectionClose() || at < len(date) || len(head) < at+len(timeFormat) {
		return
	}
	a.head, a.date = bytes.Clone(head[:len(head)-len("\r\n")]), at
}

// timeFormat is that of Date.
const timeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// date is the text of the last second, which many responses share.
type date struct{ last atomic.Pointer[dated] }

type dated struct {
	second int64
	text   []byte
}

func (d *date) at(now time.Time) []byte {
	last := d.last.Load()
	if second := now.Unix(); last == nil || last.second != second {
		last = &dated{second, now.UTC().AppendFormat(nil, timeFormat)}
		d.last.Store(last)
	}
	return last.text
}
