//go:build gs

package storage

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// abortTimeout is how long it is tried to give up an upload.
const abortTimeout = 5 * time.Second

// put sends an object of one part in one request, and a longer one in a session, of which the server makes an object at its end.
func (s *gsBucket) put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) (string, error) {
	token := rand.Text()
	described := map[string]any{"name": s.prefix + name, "metadata": map[string]string{writeToken: token}}
	if contentType != "" {
		described["contentType"] = contentType
	}
	source := bufio.NewReader(r) // tells whether a part is the last
	var part bytes.Buffer
	last, err := readPart(&part, source)
	if err != nil {
		return "", err
	}
	query := url.Values{"name": {s.prefix + name}, "fields": {gsFields}}
	if ifNotExist {
		query.Set("ifGenerationMatch", "0")
	}
	var made gsObject
	var sent int
	if last {
		made, sent, err = s.putWhole(ctx, query, described, part.Bytes())
	} else {
		made, sent, err = s.putParts(ctx, query, described, &part, source)
	}
	if isAnswered(err) && sent > 1 { // the answer to an earlier try may be lost
		found, e := s.describe(ctx, name)
		switch {
		case e == nil && found.Metadata[writeToken] == token:
			return found.Generation, nil
		case e != nil && !errors.Is(e, errMissing):
			return "", e
		}
	}
	return made.Generation, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (s *gsBucket) putWhole(ctx context.Context, query url.Values, described map[string]any, data []byte) (made gsObject, sent int, err error) {
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, castagnoli))
	described["crc32c"] = base64.StdEncoding.EncodeToString(sum) // the server compares it
	text, err := json.Marshal(described)
	if err != nil {
		return made, 0, err
	}
	query.Set("uploadType", "multipart")
	boundary := rand.Text()
	kind, _ := described["contentType"].(string)
	if kind == "" {
		kind = "application/octet-stream"
	}
	head := fmt.Sprintf("--%s\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n%s\r\n--%[1]s\r\nContent-Type: %[3]s\r\n\r\n", boundary, text, kind)
	q := gsRequest{method: http.MethodPost, path: s.uploads(), query: query,
		header: http.Header{"Content-Type": {"multipart/related; boundary=" + boundary}},
		body:   [][]byte{[]byte(head), data, []byte("\r\n--" + boundary + "--\r\n")}}
	sent, err = s.ask(ctx, q, &made)
	return made, sent, err
}

func (s *gsBucket) uploads() string { return "/upload/storage/v1/b/" + s.bucket + "/o" }

// putParts sends part and what is left of source.
func (s *gsBucket) putParts(ctx context.Context, query url.Values, described map[string]any, part *bytes.Buffer, source *bufio.Reader) (made gsObject, sent int, err error) {
	text, err := json.Marshal(described)
	if err != nil {
		return made, 0, err
	}
	query.Set("uploadType", "resumable")
	answer, _, err := s.send(ctx, gsRequest{method: http.MethodPost, path: s.uploads(), query: query,
		header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, body: [][]byte{text}})
	if err != nil {
		return made, 1, err
	}
	up := gsSession{bucket: s, address: answer.Header.Get("Location")}
	drain(answer)
	for last := false; ; {
		if err = up.part(ctx, part.Bytes(), last); err == nil && up.made != nil {
			return *up.made, up.sent, nil
		}
		if err == nil {
			last, err = readPart(part, source)
		}
		if err != nil {
			up.abort(ctx)
			return made, up.sent, err
		}
	}
}

// gsSession is an upload in parts.
type gsSession struct {
	bucket  *gsBucket
	address string // secret
	offset  int64  // bytes that the server has
	sent    int    // how often the last part was sent
	made    *gsObject
}

// part sends a part, from where the server has it if that does not answer or takes some of it only.
func (u *gsSession) part(ctx context.Context, data []byte, last bool) error {
	end, total := u.offset+int64(len(data)), "*"
	if last {
		total = strconv.FormatInt(end, 10)
	}
	u.sent = 0
	for tries := 0; ; {
		before := u.offset
		rest := data[int64(len(data))-(end-u.offset):]
		u.sent++
		err := u.put(ctx, fmt.Sprintf("bytes %d-%d/%s", u.offset, end-1, total), rest)
		if err != nil && (isAnswered(err) || Reason(err) != "" && !isTransientError(err) || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			if tries++; tries == maxTries {
				return err
			}
			if e := pauseBefore(ctx, tries-1); e != nil {
				return e
			}
			if e := u.put(ctx, "bytes */"+total, nil); e != nil { // what does the server have?
				continue
			}
		}
		switch {
		case u.made != nil && !last:
			return errors.New("the storage ended an upload before its last part")
		case u.made != nil || u.offset == end && !last:
			return nil
		case u.offset < before || u.offset > end:
			return errors.New("the storage has lost parts of an upload")
		case u.offset == before && err == nil:
			if tries++; tries == maxTries {
				return errors.New("the storage takes no more of an upload")
			}
		}
	}
}

func isTransientError(err error) bool {
	var r *refusal
	return errors.As(err, &r) && isTransient(r.status)
}

// put sends bytes, and notes what the server has now.
func (u *gsSession) put(ctx context.Context, content string, data []byte) error {
	if err := u.bucket.breaker.check(); err != nil {
		return err
	}
	answer, err := u.bucket.once(ctx, gsRequest{method: http.MethodPut, path: u.address, session: true, header: http.Header{"Content-Range": {content}}, body: [][]byte{data}})
	if err != nil {
		return err
	}
	if err := gsError(answer); err != nil {
		return err
	}
	defer drain(answer)
	if answer.StatusCode != http.StatusPermanentRedirect { // 308: not all
		u.made = &gsObject{}
		return decode(answer, u.made)
	}
	u.offset = 0
	if _, last, found := strings.Cut(answer.Header.Get("Range"), "-"); found {
		n, err := strconv.ParseInt(last, 10, 64)
		u.offset = n + 1
		return err
	}
	return nil
}

// abort gives up the upload; else the server forgets it after a week.
func (u *gsSession) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	if answer, err := u.bucket.once(ctx, gsRequest{method: http.MethodDelete, path: u.address, session: true}); err == nil {
		drain(answer)
	}
}
