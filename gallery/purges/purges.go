// Package purges makes a purge of the result cache reach every server on a database.
package purges

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/safelight/safelight/cache"
)

// Topic is the topic of the notices.
const Topic = "purge"

// Log appends notices that every server on the database reads. *notices.Bus implements it.
type Log interface {
	Append(ctx context.Context, topic, body string) error
}

// Results is a result cache whose purges the other servers repeat in the tiers that are theirs alone. Make it with New.
type Results struct {
	*cache.Cache
	log    Log
	server string // a name that no other server has
}

// notice is the body of a notice.
type notice struct {
	Server  string   `json:"server"`
	All     bool     `json:"all,omitempty"`
	Files   []string `json:"files,omitempty"`
	Folders []string `json:"folders,omitempty"`
}

// New returns results whose purges go to a log. results may be nil: another server may have a cache.
func New(results *cache.Cache, log Log) *Results {
	return &Results{results, log, rand.Text()}
}

// Purge tells the other servers, and purges every tier of this one, also after an error of the log. It counts what this
// server removes.
func (r *Results) Purge(ctx context.Context, s cache.Selection) (cache.Purged, error) {
	body, err := json.Marshal(notice{r.server, s.All, s.Files, s.Folders})
	if err == nil {
		err = r.log.Append(ctx, Topic, string(body))
	}
	p, failed := r.Cache.Purge(ctx, s)
	return p, errors.Join(err, failed)
}

// Apply repeats the purge of a notice, unless this server sent it: forget first, which drops the versions of sources,
// then the memory and files tiers. A notice that it cannot read, of a later version, is a purge of everything. It
// returns the error of a tier.
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

// ApplyAll is Apply for notices that are lost.
func (r *Results) ApplyAll(ctx context.Context, forget func(cache.Selection)) error {
	return r.apply(ctx, cache.Selection{All: true}, forget)
}

func (r *Results) apply(ctx context.Context, s cache.Selection, forget func(cache.Selection)) error {
	forget(s)
	_, err := r.PurgeLocal(ctx, s)
	return err
}
