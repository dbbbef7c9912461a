package server

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// maxFiles is the max number of files in a form.
const maxFiles = 20

// readMultipart parses a form of the GraphQL multipart request specification: operations, map, then the files. The
// caller must call done to free the files, even after an error. Clients without scope write, and forms whose length
// exceeds a quota, are rejected before any file is read.
func (s *Server) readMultipart(c *fiber.Ctx, boundary string) (raw *graphql.RawParams, done func(), err error) {
	var received receivedFiles
	if boundary == "" {
		return nil, received.close, malformed("the form has no boundary")
	}
	if !auth.FromContext(c.UserContext()).Has(auth.ScopeWrite) {
		c.Context().SetConnectionClose()
		return nil, received.close, fault.New(fault.Forbidden, "uploads need scope write")
	}
	if err := files(c.UserContext()).Uploads.CheckRoom(c.UserContext(),
		int64(c.Request().Header.ContentLength())-2*maxJSONBytes); err != nil {
		c.Context().SetConnectionClose()
		return nil, received.close, err
	}
	body, err := bodyReader(c, s.config.MaxUploadBytes+maxJSONBytes)
	if err != nil {
		return nil, received.close, err
	}
	form := multipart.NewReader(body, boundary)
	raw, targets, err := s.readOperations(c, form)
	if err == nil {
		received.hold = func(n int64) error { return s.holdBody(c, n) }
		err = received.fill(form, raw, targets)
	}
	if err != nil {
		c.Context().SetConnectionClose()
	}
	return raw, received.close, err
}

func malformed(format string, a ...any) error {
	return fault.New(fault.InvalidRequest, "the multipart form is malformed: "+format, a...)
}

// readOperations reads the two parts that precede the files.
func (s *Server) readOperations(c *fiber.Ctx, form *multipart.Reader) (*graphql.RawParams, map[string][]string, error) {
	b, err := s.readPart(c, form, "operations")
	if err != nil {
		return nil, nil, err
	}
	raw, err := decodeParams(b)
	if err != nil {
		return nil, nil, err
	}
	if b, err = s.readPart(c, form, "map"); err != nil {
		return nil, nil, err
	}
	var targets map[string][]string
	if err := json.Unmarshal(b, &targets); err != nil || len(targets) == 0 || len(targets) > maxFiles {
		return nil, nil, malformed("map is not a JSON object of 1 to %d files with lists of variable paths", maxFiles)
	}
	return raw, targets, nil
}

func (s *Server) readPart(c *fiber.Ctx, form *multipart.Reader, name string) ([]byte, error) {
	part, err := form.NextPart()
	if err != nil || part.FormName() != name {
		return nil, partError(err, "expected the part %s", name)
	}
	b, err := s.readAll(c, io.LimitReader(part, maxJSONBytes+1))
	if err != nil {
		return nil, partError(err, "the part %s ended early", name)
	}
	if len(b) > maxJSONBytes {
		return nil, tooLarge(maxJSONBytes)
	}
	return b, nil
}

// partError returns the fault in err, such as fault.TooLarge, or else an error which says that the form is malformed.
func partError(err error, format string, a ...any) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return malformed(format, a...)
}

// receivedFiles are the files of one request.
type receivedFiles struct {
	spools []*storage.Spool
	hold   func(int64) error // counts the bytes that stay in memory
}

func (r *receivedFiles) close() {
	for _, spool := range r.spools {
		spool.Close()
	}
}

// hasPlace reports whether a path such as variables.files.1 leads through objects and lists to null or to a missing
// value. The executor relies on this check.
func hasPlace(variables map[string]any, path string) bool {
	var at any = map[string]any{"variables": variables}
	for part := range strings.SplitSeq(path, ".") {
		n, err := strconv.Atoi(part) // a number is an index, even if a variable has that name
		object, isObject := at.(map[string]any)
		list, isList := at.([]any)
		switch {
		case isObject && err != nil:
			at = object[part]
		case isList && err == nil && n >= 0 && n < len(list):
			at = list[n]
		default:
			return false
		}
	}
	return at == nil
}

// fill reads every file of the form and assigns it to the variables that targets lists for its name.
func (r *receivedFiles) fill(form *multipart.Reader, raw *graphql.RawParams, targets map[string][]string) error {
	for len(targets) > 0 {
		part, err := form.NextPart()
		if err != nil {
			return partError(err, "a file that map names is missing")
		}
		key := part.FormName()
		paths, ok := targets[key]
		if !ok || len(paths) != 1 {
			return malformed("every file needs one path in map")
		}
		delete(targets, key)
		upload, err := r.read(part)
		if err != nil {
			return err
		}
		if !hasPlace(raw.Variables, paths[0]) {
			return malformed("a path of map names no variable that is null")
		}
		if e := raw.AddUpload(upload, key, paths[0]); e != nil {
			return malformed("a path of map names no variable that is null")
		}
	}
	return nil
}

// read receives one file.
func (r *receivedFiles) read(part *multipart.Part) (graphql.Upload, error) {
	u := graphql.Upload{Filename: part.FileName(), ContentType: part.Header.Get("Content-Type")}
	spool := &storage.Spool{}
	r.spools = append(r.spools, spool)
	var err error
	if u.Size, err = io.Copy(spool, part); err != nil {
		return u, partError(err, "a file ended early")
	}
	u.File = spool.Object(storage.Stat{Size: u.Size})
	if u.Size <= storage.SpoolMemory {
		err = r.hold(u.Size)
	}
	return u, err
}
