package shares

import "github.com/safelight/safelight/ent"

// Client is the database.
func (s *Shares) Client() *ent.Client { return s.db.Client }
