package bitmaps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/safelight/safelight/ent"
)

// The limits of a vocabulary.
const (
	maxWords = 4000
	maxTags  = 500
	// commonShare keeps words of at least one file in so many: of larger libraries, the same number of words.
	commonShare = 200
	// sample is about how many files are read to find common words.
	sample = BlockSize
)

// vocabulary is the terms of one version.
type vocabulary struct {
	version int
	terms   []string
	numbers map[string]int // of those that are no words
	words   *trie
}

func newVocabulary(version int, terms []string) *vocabulary {
	v := &vocabulary{version: version, terms: fit(terms), numbers: map[string]int{}}
	v.words = newTrie(v.terms)
	for i, term := range v.terms {
		if !isWord(term) {
			v.numbers[term] = i
		}
	}
	return v
}

// chosen are the terms as the database has them.
type chosen struct {
	Form  int // of the blocks: those of a server that makes others are made again
	Terms []string
}

// form is that of the blocks of this version: with facts, and colours in cells of 16 bits.
const form = 2

// errChosen says that another server has chosen terms meanwhile, or dropped all.
var errChosen = errors.New("another server has chosen the terms of bitmaps")

// vocabulary returns the terms to keep. They are chosen again once they are stale.
func (k *Keeper) vocabulary(ctx context.Context, s *state) (*vocabulary, error) {
	terms, ok := s.chosen()
	if ok && !s.stale() && !k.config.Eager {
		return newVocabulary(s.version, terms), nil
	}
	words, err := k.commonWords(ctx, s)
	if err != nil {
		return nil, err
	}
	tags, err := k.commonTags(ctx)
	if err != nil {
		return nil, err
	}
	terms = fit(append(append(fixedTerms(), tags...), words...))
	text, err := json.Marshal(chosen{form, terms})
	if err != nil {
		return nil, err
	}
	err = k.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := k.db.LockNames(ctx, tx.Client(), lockName); err != nil {
			return err
		}
		done, err := tx.Client().ExecContext(ctx, k.db.Numbered("UPDATE bitmap_state SET terms = ?, files = ?, changed = 0, version = ? WHERE version = ?"), string(text), s.files, s.version+1, s.version)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 { // blocks with that version would lack terms
			return errors.Join(err, errChosen)
		}
		return nil
	})
	return newVocabulary(s.version+1, terms), err
}

// commonWords returns the starts of words that many files have, by a sample.
func (k *Keeper) commonWords(ctx context.Context, s *state) ([]string, error) {
	every := max(1, s.files/sample)
	common := max(k.config.Common, s.files/commonShare) / every
	counts := newStarts(common / 25)
	list, err := k.db.QueryContext(ctx, fmt.Sprintf("SELECT words FROM entries WHERE id %% %d = 0 AND kind = 1 AND NOT hidden", every))
	if err != nil {
		return nil, err
	}
	err = eachRow(list, func() error {
		var words string
		err := list.Scan(&words)
		counts.add(words)
		return err
	})
	// samples and starts are short of the number of files; a word that fewer have costs little
	return counts.common(max(1, common*6/10), maxWords), err
}

// commonTags returns the terms of the tags that many files have.
func (k *Keeper) commonTags(ctx context.Context) (terms []string, err error) {
	list, err := k.db.QueryContext(ctx, fmt.Sprintf("SELECT key FROM taggings GROUP BY key HAVING count(*) >= %d ORDER BY count(*) DESC LIMIT %d", k.config.Common*8/10, maxTags))
	if err != nil {
		return nil, err
	}
	err = eachRow(list, func() error {
		var key string
		err := list.Scan(&key)
		terms = append(terms, Tag(key))
		return err
	})
	return terms, err
}
