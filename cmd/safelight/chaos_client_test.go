package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// chaosClient works in its own folder, sends one request at a time, and knows what the folder must contain.
type chaosClient struct {
	site    *chaosSite
	folder  string
	files   map[string]string // fingerprint by path, as acknowledged
	after   map[string]string // files after the current request; nil if there is none
	doing   string
	upload  *chaosUpload // that was announced and is not finished
	serial  int
	done    int
	resumed int
}

// chaosUpload is a file that goes in pieces.
type chaosUpload struct {
	path, url, id string
	data          []byte
	acknowledged  int
}

var chaosHTTP = &http.Client{Timeout: 30 * time.Second}

// Mutations of one file or folder. The errors of an item have a code, as those of a payload do.
const (
	itemResults    = `{ results { ok error { code message } } userErrors { code message } }`
	moveMutation   = `mutation ($i: MoveFilesInput!) { moveFiles(input: $i) ` + itemResults + ` }`
	copyMutation   = `mutation ($i: CopyFilesInput!) { copyFiles(input: $i) ` + itemResults + ` }`
	deleteMutation = `mutation ($paths: [String!]!) { deleteFiles(input: {paths: $paths}) ` + itemResults + ` }`
)

// relocation returns the variables of moveMutation and copyMutation for one file or folder and its new path.
func relocation(from, to string) map[string]any {
	folder, name := path.Split(to)
	return map[string]any{
		"i": map[string]any{"paths": []string{from}, "folder": strings.TrimSuffix(folder, "/"), "name": name},
	}
}

// refused is an answer that says no; any other error of a request is a server that died.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

// send sends a request; an answer of 400 or more is refused.
func (c *chaosClient) send(method, url, kind string, body []byte, headers ...string) (*http.Response, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+c.site.token)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := chaosHTTP.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 400 {
		err = refused{fmt.Sprintf("%s %s", response.Status, text)}
	}
	return response, text, err
}

// graphQL reads data into answer; errors and userErrors are refused.
func (c *chaosClient) graphQL(query string, variables map[string]any, answer any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	return c.answer("application/json", body, answer)
}

func (c *chaosClient) answer(kind string, body []byte, answer any) error {
	_, text, err := c.send(http.MethodPost, c.site.url+"/api/graphql", kind, body)
	if err != nil {
		return err
	}
	if strings.Contains(string(text), `"errors"`) || strings.Contains(string(text), `"code":`) {
		return refused{string(text)}
	}
	var shell struct{ Data json.RawMessage }
	if err := json.Unmarshal(text, &shell); err != nil {
		return err
	}
	return json.Unmarshal(shell.Data, answer)
}

// change makes a request that turns files into after; false when the server died of it.
func (c *chaosClient) change(doing string, after map[string]string, request func() error) bool {
	c.doing, c.after = doing, after
	err := request()
	if err == nil {
		c.files, c.after = after, nil
		c.done++
		return true
	}
	if r := (refused{}); errors.As(err, &r) {
		c.site.Errorf("%s: %v", doing, err)
	}
	return false
}

// mutate is change by a mutation whose answer says nothing.
func (c *chaosClient) mutate(doing string, after map[string]string, query string, variables map[string]any) bool {
	return c.change(doing, after, func() error { return c.graphQL(query, variables, &struct{}{}) })
}

// work goes on until the server dies.
func (c *chaosClient) work() {
	for c.step() && !c.site.Failed() {
	}
}

func (c *chaosClient) step() bool {
	c.serial++
	fresh := fmt.Sprintf("%s/%d.png", c.folder, c.serial)
	after, old := maps.Clone(c.files), c.any()
	if old == "" || len(c.files) < 6 {
		return c.begin(fresh)
	}
	switch rand.IntN(8) {
	case 0:
		return c.begin(fresh)
	case 1:
		return c.add(fresh, "ERROR")
	case 2:
		return c.add(old, "REPLACE")
	case 3:
		after[fresh] = after[old]
		delete(after, old)
		return c.mutate("move "+old+" "+fresh, after, moveMutation, relocation(old, fresh))
	case 4:
		after[fresh] = after[old]
		return c.mutate("copy "+old+" "+fresh, after, copyMutation, relocation(old, fresh))
	case 5:
		delete(after, old)
		return c.mutate("delete "+old, after, deleteMutation, map[string]any{"paths": []string{old}})
	}
	return c.folders(after)
}

// folders makes a folder of files, copies and moves it, and deletes it.
func (c *chaosClient) folders(after map[string]string) bool {
	one := fmt.Sprintf("%s/d%d", c.folder, c.serial)
	two := fmt.Sprintf("%s/e%d", c.folder, c.serial)
	three := fmt.Sprintf("%s/f%d", c.folder, c.serial)
	for i := range 3 {
		if !c.add(fmt.Sprintf("%s/%d.png", one, i), "ERROR") {
			return false
		}
	}
	next := func(from, to string, keep bool) map[string]string {
		after = maps.Clone(c.files)
		for path, sum := range c.files {
			if rest, ok := strings.CutPrefix(path, from+"/"); ok {
				if to != "" {
					after[to+"/"+rest] = sum
				}
				if !keep {
					delete(after, path)
				}
			}
		}
		return after
	}
	return c.mutate("copy folder "+one, next(one, two, true), copyMutation, relocation(one, two)) &&
		c.mutate("move folder "+two, next(two, three, false), moveMutation, relocation(two, three)) &&
		c.mutate("delete folder "+one, next(one, "", false), deleteMutation, map[string]any{"paths": []string{one}}) &&
		c.mutate(
			"delete folder "+three, next(three, "", false), deleteMutation,
			map[string]any{"paths": []string{three}},
		)
}

// any returns a file that is there, in no folder of its own.
func (c *chaosClient) any() string {
	for path := range c.files {
		if strings.Count(path, "/") == 1 {
			return path
		}
	}
	return ""
}

func (c *chaosClient) picture() []byte {
	return picture(c.site.T, 100+rand.IntN(400), 100+rand.IntN(300), uint8(rand.IntN(256)))
}

// add uploads in one request.
func (c *chaosClient) add(path, policy string) bool {
	data := c.picture()
	after := maps.Clone(c.files)
	after[path] = fingerprint(data)
	return c.change("add "+path+" "+policy, after, func() error {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		operations, err := json.Marshal(map[string]any{
			"query":     `mutation ($i: AddFileInput!) { addFile(input: $i) { file { path } userErrors { code } } }`,
			"variables": map[string]any{"i": map[string]any{"path": path, "onConflict": policy, "content": nil}}})
		if err != nil {
			return err
		}
		if err := errors.Join(form.WriteField("operations", string(operations)),
			form.WriteField("map", `{"0": ["variables.i.content"]}`)); err != nil {
			return err
		}
		part, err := form.CreateFormFile("0", "a.png")
		if err != nil {
			return err
		}
		if _, err := part.Write(data); err != nil {
			return err
		}
		return errors.Join(form.Close(), c.answer(form.FormDataContentType(), b.Bytes(), &struct{}{}))
	})
}

// begin announces an upload and sends it.
func (c *chaosClient) begin(path string) bool {
	data := c.picture()
	var answer struct {
		CreateUpload struct{ Upload struct{ ID, URL string } }
	}
	ok := c.change("announce "+path, c.files, func() error {
		return c.graphQL(
			`mutation ($p: String!, $n: Int64!) { createUpload(input: {path: $p, sizeBytes: $n}) { upload { id url } userErrors { code } } }`,
			map[string]any{"p": path, "n": len(data)}, &answer,
		)
	})
	if !ok {
		return false
	}
	u := answer.CreateUpload.Upload
	c.upload = &chaosUpload{path: path, id: u.ID, url: u.URL, data: data}
	return c.proceed()
}

// proceed sends what is missing of the upload, in pieces, and finishes it.
func (c *chaosClient) proceed() bool {
	u := c.upload
	for u.acknowledged < len(u.data) {
		piece := u.data[u.acknowledged:min(len(u.data), u.acknowledged+1+rand.IntN(len(u.data)))]
		sent := c.change("send "+u.path, c.files, func() error {
			_, _, err := c.send(
				http.MethodPut, c.site.url+u.url, "image/png", piece, "Content-Range",
				fmt.Sprintf("bytes %d-%d/%d", u.acknowledged, u.acknowledged+len(piece)-1, len(u.data)),
			)
			return err
		})
		if !sent {
			return false
		}
		u.acknowledged += len(piece)
	}
	after := maps.Clone(c.files)
	after[u.path] = fingerprint(u.data)
	finished := c.change("finish "+u.path, after, func() error {
		return c.graphQL(
			`mutation ($id: ID!) { finishUpload(input: {id: $id}) { file { path } userErrors { code message } } }`,
			map[string]any{"id": u.id}, &struct{}{},
		)
	})
	if finished {
		c.upload = nil
	}
	return finished
}

// resume continues the upload that the last server left: no acknowledged byte is missing.
func (c *chaosClient) resume() {
	u := c.upload
	if u == nil {
		return
	}
	response, _, err := c.send(http.MethodHead, c.site.url+u.url, "image/png", nil)
	if err != nil {
		c.site.Errorf("the upload of %s is gone: %v", u.path, err)
		return
	}
	offset, err := strconv.Atoi(response.Header.Get("Upload-Offset"))
	if err != nil || offset < u.acknowledged {
		c.site.Errorf("%d of %d acknowledged bytes of %s are there, %v", offset, u.acknowledged, u.path, err)
		return
	}
	u.acknowledged = offset
	if c.resumeFinish() {
		c.resumed++
	}
}

// resumeFinish waits until the hold of who was killed while finishing has ended.
func (c *chaosClient) resumeFinish() bool {
	deadline := time.Now().Add(waitTimeout)
	for {
		u := c.upload
		if u.acknowledged < len(u.data) {
			return c.proceed()
		}
		err := c.graphQL(
			`mutation ($id: ID!) { finishUpload(input: {id: $id}) { file { path } userErrors { code message } } }`,
			map[string]any{"id": u.id}, &struct{}{},
		)
		if err == nil {
			c.files[u.path] = fingerprint(u.data)
			c.upload = nil
			return true
		}
		if !strings.Contains(err.Error(), "finishing the upload") || time.Now().After(deadline) {
			c.site.Errorf("finishing %s again: %v", u.path, err)
			return false
		}
		time.Sleep(500 * time.Millisecond)
	}
}
