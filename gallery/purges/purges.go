// Package purges distributes purges of the result cache to all servers that use a database.
package purges

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/safelight/safelight/cache"
)

// Topic is the topic of purge notices.
const Topic = "purge"

// Log appends notices that all servers that use the database read. *notices.Bus implements it.
type Log interface {
	Append(ctx context.Context, topic, body string) error
}

// Results is a result cache whose purges are repeated by the other servers, for the tiers that they do not
// share. Create it with New.
type Results struct {
	*cache.Cache
	log    Log
	server string // unique name of this server
}

// notice is the body of a notice.
type notice struct {
	Server  string   `json:"server"`
	All     bool     `json:"all,omitempty"`
	Files   []string `json:"files,omitempty"`
	Folders []string `json:"folders,omitempty"`
}

// New returns results whose purges are written to a log. results may be nil, because another server may have
// a cache.
func New(results *cache.Cache, log Log) *Results {
	return &Results{results, log, rand.Text()}
}

// Purge notifies the other servers and purges all tiers of this server, even if the log fails. It counts what
// this server removes.
func (r *Results) Purge(ctx context.Context, s cache.Selection) (cache.Purged, error) {
	body, err := json.Marshal(notice{r.server, s.All, s.Files, s.Folders})
	if err == nil {
		err = r.log.Append(ctx, Topic, string(body))
	}
	p, failed := r.Cache.Purge(ctx, s)
	return p, errors.Join(err, failed)
}

// Apply repeats the purge of a notice, unless this server sent it. It first calls forget, which drops the
// versions of sources, and then purges the memory and files tiers. For a notice of a later version that it
// cannot parse, it purges everything. It returns the errors of the tiers.
func (r *Results) Apply(ctx context.Context, body string, forget func(cache.Selection)) error {
	var n notice
	if err := json.Unmarshal([]byte(body), &n); err != nil {
		return r.ApplyAll(ctx, forget)
	}
	if n.Server == r.server {
		return nil
	}
	return r.apply(ctx, cache.Selection{All: n.All, Files: n.Files, Folders: n.Folders}, forget)
}

// ApplyAll purges everything, because notices were lost.
func (r *Results) ApplyAll(ctx context.Context, forget func(cache.Selection)) error {
	return r.apply(ctx, cache.Selection{All: true}, forget)
}

func (r *Results) apply(ctx context.Context, s cache.Selection, forget func(cache.Selection)) error {
	forget(s)
	_, err := r.PurgeLocal(ctx, s)
	return err
}
