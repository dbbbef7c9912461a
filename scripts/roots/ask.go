package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"time"
)

// password is that of the admin.
const password = "twelve-characters"

// answer is a request to a server, and what is expected.
type answer struct{ path, kind string }

// answers are formats of the picture that is uploaded, and a label that needs a font on the one that was there.
var answers = []answer{
	{"/unsafe/64x48/uploaded.jpg", "image/jpeg"},
	{"/unsafe/64x48/filters:format(webp)/uploaded.jpg", "image/webp"},
	{"/unsafe/64x48/filters:format(avif)/uploaded.jpg", "image/avif"},
	{"/unsafe/64x48/filters:speed(best)/uploaded.jpg", "image/jpeg"},
	{"/unsafe/64x48/filters:format(png):label(hello,0,0,20,red)/picture.jpg", "image/png"},
}

// ask logs in, uploads a picture and requests results.
func ask(ctx context.Context, server string, out io.Writer) error {
	body, err := send(ctx, http.MethodPost, server+"/api/auth/login", "application/json",
		[]byte(`{"username":"admin","password":"`+password+`"}`), "", "application/json")
	var session struct{ Token string }
	if err == nil {
		err = json.Unmarshal(body, &session)
	}
	if err != nil {
		return fmt.Errorf("the login: %w", err)
	}
	form, kind, err := upload()
	if err == nil {
		body, err = send(ctx, http.MethodPost, server+"/api/graphql", kind, form, session.Token, "")
	}
	if err != nil || !bytes.Contains(body, []byte(`"userErrors":[]`)) || bytes.Contains(body, []byte("errors")) {
		return fmt.Errorf("the upload: %w %s", err, body)
	}
	fmt.Fprintf(out, "uploaded: %s\n", body)
	for _, a := range answers {
		body, err := send(ctx, http.MethodGet, server+a.path, "", nil, "", a.kind)
		if err != nil || len(body) < 100 {
			return fmt.Errorf("%s: %d bytes, %w", a.path, len(body), err)
		}
		if a.kind == "image/jpeg" {
			if c, err := jpeg.DecodeConfig(bytes.NewReader(body)); err != nil || c.Width != 64 || c.Height != 48 {
				return fmt.Errorf("%s: %d x %d, %w", a.path, c.Width, c.Height, err)
			}
		}
		fmt.Fprintf(out, "%s: %s, %d bytes\n", a.path, a.kind, len(body))
	}
	return nil
}

// send sends a request and returns the body of its answer, which is 200 and of that type; empty: of any.
func send(ctx context.Context, method, url, kind string, data []byte, token, want string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Content-Type": kind, "Authorization": "Bearer " + token} {
		if value != "" && value != "Bearer " {
			r.Header.Set(name, value)
		}
	}
	response, err := (&http.Client{Timeout: 5 * time.Minute}).Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if got := response.Header.Get("Content-Type"); err == nil && (response.StatusCode != http.StatusOK || want != "" &&
		got != want) {
		err = fmt.Errorf("%s %s %.200q, expected %s", response.Status, got, body, want)
	}
	return body, err
}

// upload returns a form that uploads the picture, and its type.
func upload() ([]byte, string, error) {
	data, err := picture()
	if err != nil {
		return nil, "", err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, field := range [][2]string{
		{"operations", `{"query":"mutation($f:Upload!){addFile(input:{path:\"uploaded.jpg\",content:$f}){file{path}userErrors{code}}}","variables":{"f":null}}`}, {"map", `{"0":["variables.f"]}`},
	} {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return nil, "", err
		}
	}
	part, err := form.CreateFormFile("0", "uploaded.jpg")
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = form.Close()
	}
	return body.Bytes(), form.FormDataContentType(), err
}

// picture returns a JPEG of 640 x 480.
func picture() ([]byte, error) {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, 640, 480))
	for y := range 480 {
		for x := range 640 {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), uint8(x ^ y), 255})
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, nil)
	return b.Bytes(), err
}
