package webhooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhook"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/storage/remote"
)

const (
	connectTimeout = 5 * time.Second
	maxHeader      = 64 << 10 // bytes of a response header
	maxAnswer      = 64 << 10 // bytes of a body that are read, so that the connection can be reused

	firstRetry = 5 * time.Second
	maxRetry   = 6 * time.Hour
)

// newClient returns the HTTP client for messages. It does not follow redirects, because their targets would
// have to be trusted like the URL itself. It does not connect to addresses that an admin may not use.
func newClient(c Config) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: remote.Guard(c.AllowPrivate)}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would resolve names itself, so that Guard would not see the address
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
			TLSHandshakeTimeout:    connectTimeout,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           64,
			MaxIdleConnsPerHost:    maxPerHook,
			IdleConnTimeout:        time.Minute,
		},
	}
}

// message is the body of a request, as specified by Standard Webhooks.
type message struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Sequence  int             `json:"sequence"` // of two events of the same file, the later one has the larger number
	Data      json.RawMessage `json:"data"`
}

// result is the result of an attempt.
type result struct {
	problem    Problem // empty: the receiver accepted the event
	code       int     // 0: no response
	retryAfter string  // header of the response
	at         time.Time
	took       time.Duration
	state      webhookdelivery.State
	next       time.Time // time of the next attempt
}

// attempt sends a delivery and stores the result. It returns an error if the result could not be stored. The
// delivery is then sent again.
func (h *Hooks) attempt(ctx context.Context, id int) error {
	d, err := h.db.WebhookDelivery.Query().Where(webhookdelivery.ID(id)).WithWebhook().Only(ctx)
	if ent.IsNotFound(err) || err == nil && !d.Edges.Webhook.IsActive {
		return nil // it was deleted or ended while other events of the wave were sent
	}
	if err != nil {
		return err
	}
	r := h.send(ctx, d.Edges.Webhook, d)
	if ctx.Err() != nil {
		return ctx.Err() // the server is stopping, so the result is unknown
	}
	switch wait := h.config.retry(d.Attempts, r.retryAfter); {
	case r.problem == "":
		r.state = webhookdelivery.StateDelivered
	case r.code == http.StatusGone || r.at.Add(wait).After(d.QueuedAt.Add(h.config.RetryFor)):
		r.state = webhookdelivery.StateFailed
	default:
		r.state, r.next = webhookdelivery.StatePending, r.at.Add(wait)
	}
	return h.keep(ctx, d, r, webhookdelivery.StatePending)
}

// keep stores the result of an attempt, if the delivery is still in the state was.
func (h *Hooks) keep(ctx context.Context, d *ent.WebhookDelivery, r result, was webhookdelivery.State) error {
	return h.db.Transact(ctx, func(tx *ent.Tx) error {
		update := tx.WebhookDelivery.Update().
			Where(webhookdelivery.ID(d.ID), webhookdelivery.StateEQ(was)).
			SetState(r.state).
			AddAttempts(1).
			SetAttemptedAt(r.at).
			SetStatusCode(r.code).
			SetProblem(string(r.problem)).
			SetDurationMs(int(r.took.Milliseconds()))
		if !r.next.IsZero() {
			update.SetNextAt(r.next)
		}
		if err := update.Exec(ctx); err != nil || r.code != http.StatusGone {
			return err
		}
		n, err := tx.Webhook.Update().
			Where(webhook.ID(d.WebhookID), webhook.IsActive(true)).
			SetIsActive(false).
			SetIsGone(true).
			Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookUpdate, Target: target(d.WebhookID),
			Before: audit.Facts{"isActive": true}, After: audit.Facts{"isActive": false, "statusCode": r.code},
		})
	})
}

// send sends a delivery once.
func (h *Hooks) send(ctx context.Context, w *ent.Webhook, d *ent.WebhookDelivery) (r result) {
	started := time.Now()
	r.at = h.config.Now().UTC()
	defer func() { r.took = time.Since(started) }()
	body, err := json.Marshal(message{d.Event, d.CreatedAt.UTC(), d.ID, json.RawMessage(d.Data)})
	if err != nil {
		r.problem = ProblemUnreachable // encoding our own JSON does not fail
		return r
	}
	signature, err := h.sign(w, d.Message, r.at, body)
	if err != nil {
		r.problem = ProblemSecret
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, h.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		r.problem = ProblemUnreachable
		return r
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", h.config.UserAgent)
	request.Header["webhook-id"] = []string{d.Message}
	request.Header["webhook-timestamp"] = []string{strconv.FormatInt(r.at.Unix(), 10)}
	request.Header["webhook-signature"] = []string{signature}
	response, err := h.client.Do(request)
	if err != nil {
		r.problem = problemOf(err)
		return r
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // only the status matters
	r.code, r.retryAfter = response.StatusCode, response.Header.Get("Retry-After")
	if r.code < 200 || r.code > 299 {
		r.problem = ProblemStatus
	}
	return r
}

// sign returns the header webhook-signature.
func (h *Hooks) sign(w *ent.Webhook, id string, at time.Time, body []byte) (string, error) {
	sealed := []string{w.Secret}
	if w.PreviousSecretUntil != nil && at.Before(*w.PreviousSecretUntil) {
		sealed = append(sealed, w.PreviousSecret)
	}
	var signatures []string
	for _, s := range sealed {
		secret, err := h.keys.UnsealShared(purposeSecrets, s)
		if err != nil {
			return "", err
		}
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", err
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " "), nil
}

func problemOf(err error) Problem {
	var (
		timeout     net.Error
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	switch {
	case errors.Is(err, remote.ErrNotPublic):
		return ProblemNotPublic
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return ProblemCertificate
	case errors.As(err, &timeout) && timeout.Timeout():
		return ProblemTimeout
	}
	return ProblemUnreachable
}

// backoff returns the delay after a failed attempt. attempts is the number of previous attempts: 5 s, 20 s,
// 80 s and so on up to 6 h, each plus or minus up to a quarter. A receiver may request a longer delay of at
// most 6 h.
func backoff(attempts int, retryAfter string) time.Duration {
	wait := maxRetry
	if attempts < 8 {
		wait = min(maxRetry, firstRetry<<(2*attempts))
	}
	wait += rand.N(wait/2) - wait/4
	if seconds, err := strconv.Atoi(retryAfter); err == nil && seconds > 0 {
		wait = max(wait, min(maxRetry, time.Duration(min(seconds, 1<<20))*time.Second))
	}
	return wait
}
