package bitmaps

import (
	"context"
	"encoding/json"
)

// state is what the tables of bitmaps hold.
type state struct {
	logged  int // the largest id whose changes are logged
	pending int // the largest id whose changes are logged by writers that began since log asked for it
	last    int // the largest id of a file
	files   int // visible
	counted int // visible when the terms were chosen
	changed int // since then, as far as bitmaps have it
	version int // of the terms
	terms   string
	blocks  map[int]made
	changes map[int]int // how many are logged, of each block
	total   int         // of them
	words   int         // of them, those not of facts alone
}

// made is what the database has of a block.
type made struct{ upto, terms int }

func (k *Keeper) state(ctx context.Context) (*state, error) {
	s := &state{blocks: map[int]made{}, changes: map[int]int{}}
	list, err := k.db.QueryContext(ctx, "SELECT logged, pending, files, changed, version, terms, (SELECT coalesce(max(id), 0) FROM entries) FROM bitmap_state")
	if err == nil {
		err = eachRow(list, func() error {
			return list.Scan(&s.logged, &s.pending, &s.counted, &s.changed, &s.version, &s.terms, &s.last)
		})
	}
	if err != nil || s.logged == 0 {
		return s, err
	}
	if list, err = k.db.QueryContext(ctx, "SELECT block, upto, terms_version FROM bitmap_blocks"); err == nil {
		err = eachRow(list, func() error {
			var number int
			var m made
			err := list.Scan(&number, &m.upto, &m.terms)
			s.blocks[number] = m
			return err
		})
	}
	if err != nil {
		return s, err
	}
	if list, err = k.db.QueryContext(ctx, "SELECT entry_id / 65536, count(*), count(CASE WHEN what = 0 THEN 1 END) FROM bitmap_changes GROUP BY 1"); err == nil {
		err = eachRow(list, func() error {
			var number, n, words int
			err := list.Scan(&number, &n, &words)
			s.changes[number], s.total, s.words = n, s.total+n, s.words+words
			return err
		})
	}
	return s, err
}

// end is the last id of a block whose changes are logged.
func (s *state) end(number int) int { return min((number+1)*BlockSize-1, s.logged) }

// chosen returns the terms; false if blocks have another form: a server of another version has made them, or they have to be made.
func (s *state) chosen() (terms []string, ok bool) {
	var have chosen
	err := json.Unmarshal([]byte(s.terms), &have)
	return have.Terms, err == nil && have.Form == form
}

// current reports whether few files are new or have changed since bitmaps were made of all, with facts.
func (s *state) current() bool {
	if _, ok := s.chosen(); !ok {
		return false
	}
	for number := range s.logged/BlockSize + 1 {
		if have, ok := s.blocks[number]; !ok || have.upto < s.end(number) || have.terms != s.version {
			return false
		}
	}
	return s.logged > 0 && s.total <= manyChanges && s.last <= s.logged+newRows
}

// stale reports whether a tenth of the files came, went or changed since the terms were chosen.
func (s *state) stale() bool {
	return s.version == 0 || s.changed+s.words+max(s.files-s.counted, s.counted-s.files) > s.counted/10
}
