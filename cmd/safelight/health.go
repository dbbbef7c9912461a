package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (p *program) health() *cobra.Command {
	url := ""
	command := newCommand("health", "Check that a running server is ready.",
		func() error { return p.checkHealth(url) })
	command.Flags().StringVar(&url, "url", "", "`URL` of the server. Default: from the setting listen.")
	return command
}

// checkHealth requests /readyz and returns an error unless the status is 200. Without a URL, it asks the server of the
// settings. Containers use it as their health check.
func (p *program) checkHealth(url string) error {
	base := strings.TrimRight(url, "/")
	if base != "" {
		if _, err := kindURL.parse(base); err != nil {
			return fmt.Errorf("--url: %q is not a URL such as http://127.0.0.1:8000", url)
		}
	} else {
		s, err := p.settings()
		if err != nil {
			return err
		}
		base = localURL(s.Listen)
	}
	client := &http.Client{Timeout: 5 * time.Second}
	request, err := http.NewRequestWithContext(p.ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("the server at %s is not ready: %s %s", base, response.Status,
			strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(p.stdout, "ready")
	return err
}

// localURL returns the URL at which this machine reaches a server with the given listen address.
func localURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "http://" + listen
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
