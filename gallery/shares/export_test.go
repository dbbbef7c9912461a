package shares

import "github.com/safelight/safelight/ent"

// Client returns the database client.
func (s *Shares) Client() *ent.Client { return s.db.Client }
