// Package webhooks sends events to URLs that admins have registered. Package outbox writes the events. This
// package delivers them, at least once and in order for each file, and manages the webhooks. Apart from the
// outbox, it is the only writer of the tables of webhooks and deliveries.
package webhooks

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhook"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/webhooks/outbox"
)

const (
	maxWebhooks = 50
	maxName     = 100  // characters
	maxURL      = 2000 // bytes

	secretPrefix  = "whsec_"
	secretBytes   = 32
	secretOverlap = 24 * time.Hour // after a rotation, messages are also signed with the previous secret for this time

	purposeSecrets = "webhook secrets" // of the key that seals them, which all servers have
)

// Config is the configuration of webhooks.
type Config struct {
	Now          func() time.Time // nil is time.Now
	Timeout      time.Duration    // per attempt, including name resolution; 0 is 10 s
	RetryFor     time.Duration    // how long delivery of an event is attempted; 0 is 72 h
	AllowPrivate []netip.Prefix   // non-public networks to which events may be sent
	UserAgent    string           // empty is "Safelight"

	Roots *x509.CertPool // for tests; nil: those of the system

	retry func(attempts int, retryAfter string) time.Duration // nil: backoff
}

// Hooks manages the webhooks of a database. Create it with New. It is safe for concurrent use.
type Hooks struct {
	config Config
	db     *database.DB
	audit  *audit.Log
	keys   *auth.Keyring
	log    *slog.Logger
	client *http.Client
}

// New returns the webhooks of a migrated database.
func New(c Config, db *database.DB, events *audit.Log, keys *auth.Keyring, log *slog.Logger) *Hooks {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.RetryFor == 0 {
		c.RetryFor = 72 * time.Hour
	}
	if c.UserAgent == "" {
		c.UserAgent = "Safelight"
	}
	if c.retry == nil {
		c.retry = backoff
	}
	return &Hooks{
		config: c,
		db:     db,
		audit:  events,
		keys:   keys,
		log:    log,
		client: newClient(c),
	}
}

// Input contains the settings of a webhook. nil fields of an existing webhook stay unchanged.
type Input struct {
	Name     *string
	URL      *string
	Events   []outbox.Type // empty, not nil: all
	Folder   *string       // empty: all folders
	IsActive *bool
}

// Webhook returns a webhook. It returns fault.NotFound if the webhook does not exist.
func (h *Hooks) Webhook(ctx context.Context, id uuid.UUID) (*ent.Webhook, error) {
	w, err := h.db.Webhook.Get(ctx, id)
	return w, database.Missing(err, "the webhook", "id")
}

// oldest is the order of webhooks.
var oldest = database.Order[ent.Webhook]{
	Columns: []string{webhook.FieldCreatedAt, webhook.FieldID},
	Values:  func(w *ent.Webhook) []any { return []any{&w.CreatedAt, &w.ID} },
}

// Webhooks returns a page of 1 to 100 webhooks, in the order in which they were created, after a cursor.
func (h *Hooks) Webhooks(ctx context.Context, first int, after string) (*database.Page[*ent.Webhook], error) {
	return database.ReadPage(ctx, h.db.Webhook.Query(), oldest, first, after)
}

// Create adds a webhook and returns it with its secret, which cannot be read again. It returns fault.Conflict
// if there are too many webhooks.
func (h *Hooks) Create(ctx context.Context, in Input) (w *ent.Webhook, secret string, err error) {
	if in.URL == nil || in.Name == nil {
		return nil, "", fault.New(fault.Invalid, "a webhook needs a name and a URL")
	}
	secret, sealed, err := h.newSecret()
	if err != nil {
		return nil, "", err
	}
	err = h.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := h.db.LockNames(ctx, tx.Client(), "webhooks"); err != nil {
			return err
		}
		n, err := tx.Webhook.Query().Count(ctx)
		if err != nil {
			return err
		}
		if n >= maxWebhooks {
			return fault.New(fault.Conflict, "there are %d webhooks, expected fewer", n)
		}
		now := h.config.Now().UTC()
		create := tx.Webhook.Create().SetSecret(sealed).SetEvents([]string{}).SetCreatedAt(now).SetUpdatedAt(now)
		if err := in.apply(create.Mutation()); err != nil {
			return err
		}
		if w, err = create.Save(ctx); err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookCreate, Target: target(w.ID), After: facts(w),
		})
	})
	if err != nil {
		return nil, "", err
	}
	return w, secret, nil
}

// Update changes a webhook. It returns fault.NotFound if the webhook does not exist.
func (h *Hooks) Update(ctx context.Context, id uuid.UUID, in Input) (w *ent.Webhook, err error) {
	err = h.db.Transact(ctx, func(tx *ent.Tx) error {
		if w, err = tx.Webhook.Get(ctx, id); err != nil {
			return database.Missing(err, "the webhook", "id")
		}
		before := facts(w)
		update := tx.Webhook.UpdateOne(w).SetUpdatedAt(h.config.Now().UTC())
		if err := in.apply(update.Mutation()); err != nil {
			return err
		}
		if w, err = update.Save(ctx); err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookUpdate, Target: target(id), Before: before, After: facts(w),
		})
	})
	return w, err
}

// Delete deletes a webhook and its deliveries. It returns fault.NotFound if the webhook does not exist.
func (h *Hooks) Delete(ctx context.Context, id uuid.UUID) error {
	return h.db.Transact(ctx, func(tx *ent.Tx) error {
		w, err := tx.Webhook.Get(ctx, id)
		if err != nil {
			return database.Missing(err, "the webhook", "id")
		}
		if err := tx.Webhook.DeleteOne(w).Exec(ctx); err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionWebhookDelete, Target: target(id), Before: facts(w),
		})
	})
}

// RotateSecret creates and returns a new secret for a webhook. For a day, messages are also signed with the
// previous secret. It returns fault.NotFound if the webhook does not exist.
func (h *Hooks) RotateSecret(ctx context.Context, id uuid.UUID) (w *ent.Webhook, secret string, err error) {
	secret, sealed, err := h.newSecret()
	if err != nil {
		return nil, "", err
	}
	err = h.db.Transact(ctx, func(tx *ent.Tx) error {
		if w, err = tx.Webhook.Get(ctx, id); err != nil {
			return database.Missing(err, "the webhook", "id")
		}
		now := h.config.Now().UTC()
		w, err = tx.Webhook.UpdateOne(w).
			SetSecret(sealed).
			SetPreviousSecret(w.Secret).
			SetPreviousSecretUntil(now.Add(secretOverlap)).
			SetUpdatedAt(now).
			Save(ctx)
		if err != nil {
			return err
		}
		return h.audit.Record(ctx, tx, audit.Event{Action: audit.ActionWebhookRotate, Target: target(id)})
	})
	if err != nil {
		return nil, "", err
	}
	return w, secret, nil
}

// newSecret returns a new secret, and the secret encrypted for the database.
func (h *Hooks) newSecret() (secret, sealed string, err error) {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails
	secret = secretPrefix + base64.StdEncoding.EncodeToString(b)
	sealed, err = h.keys.SealShared(purposeSecrets, secret)
	return secret, sealed, err
}

// CheckSecrets returns an error if the secrets of active webhooks cannot be decrypted with keys.
func CheckSecrets(ctx context.Context, db *database.DB, keys *auth.Keyring) error {
	rows, err := db.Webhook.Query().Where(webhook.IsActive(true)).Order(webhook.ByCreatedAt()).All(ctx)
	if err != nil {
		return database.Translate(err)
	}
	var lost []string
	for _, w := range rows {
		if _, err := keys.UnsealShared(purposeSecrets, w.Secret); err != nil {
			lost = append(lost, w.Name)
		}
	}
	if len(lost) > 0 {
		return fmt.Errorf("%d of %d cannot be read, because they were made with another token-secret or key file: %s. "+
			"Set token-secret-previous to the old one, restore keys.json, or give these webhooks new secrets",
			len(lost), len(rows), strings.Join(lost, ", "))
	}
	return nil
}

// target returns the target of audit events about a webhook.
func target(id uuid.UUID) string { return "webhook:" + id.String() }

// facts returns what the audit log records about a webhook. It leaves out paths and queries of URLs, because
// these often contain secrets.
func facts(w *ent.Webhook) audit.Facts {
	return audit.Facts{
		"name": w.Name, "host": Host(w), "events": w.Events, "folder": w.Folder, "isActive": w.IsActive,
	}
}

// Host returns the host of a webhook's URL.
func Host(w *ent.Webhook) string {
	u, err := url.Parse(w.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// apply sets the fields of a webhook, or returns fault.Invalid.
func (in Input) apply(m *ent.WebhookMutation) error {
	if in.Name != nil {
		name := strings.TrimSpace(*in.Name)
		if n := utf8.RuneCountInString(name); n < 1 || n > maxName || !isLine(name) {
			return fault.OnField(
				fault.Invalid, "name", "the name has %d characters, expected 1 to %d without line breaks", n, maxName,
			)
		}
		m.SetName(name)
	}
	if in.URL != nil {
		if err := checkURL(*in.URL); err != nil {
			return err
		}
		m.SetURL(*in.URL)
	}
	if in.Events != nil {
		names := []string{}
		for _, t := range outbox.All {
			if slices.Contains(in.Events, t) {
				names = append(names, string(t))
			}
		}
		m.SetEvents(names)
	}
	if in.Folder != nil {
		k, err := storage.ParseKey(*in.Folder)
		if err != nil {
			return fault.WithField(err, "folder")
		}
		m.SetFolder(string(k))
	}
	if in.IsActive != nil {
		m.SetIsActive(*in.IsActive)
		m.SetIsGone(false)
	}
	return nil
}

func isLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F })
}

// checkURL returns fault.Invalid for a URL that events cannot be sent to.
func checkURL(s string) error {
	bad := func(expected string) error {
		return fault.OnField(fault.Invalid, "url", "the URL cannot receive events, expected %s", expected)
	}
	u, err := url.Parse(s)
	switch {
	case len(s) > maxURL:
		return bad("at most 2000 bytes")
	case err != nil || !isLine(s) || u.Hostname() == "":
		return bad("one such as https://example.com/hooks")
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("https or http")
	case u.User != nil:
		return bad("no username and password in it: receivers check the signature")
	case u.Fragment != "" || strings.HasSuffix(s, "#"):
		return bad("no fragment")
	}
	return nil
}
