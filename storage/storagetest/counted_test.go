package storagetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestTrafficOfAnswers holds that an answer counts for whoever has read it, although its handler has not returned.
func TestTrafficOfAnswers(t *testing.T) {
	var c Counter
	read := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Handle(w, r, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "3")
			_, _ = io.WriteString(w, "abc")
			_ = http.NewResponseController(w).Flush()
			<-read
		}))
	}))
	defer server.Close()
	defer close(read)
	got := c.Traffic(t, func() error {
		response, err := http.Get(server.URL)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.ReadAll(response.Body)
		return err
	})
	if got.Requests != 1 || got.Kinds["GET"] != 1 || got.Received != 3 {
		t.Errorf("%+v, expected a request of 3 bytes", got)
	}
}
