package graph

import (
	"strconv"
	"strings"
	"testing"
)

// TestDocumentCacheIsBounded checks the limits of number and bytes, and that the most recently used document
// is kept.
func TestDocumentCacheIsBounded(t *testing.T) {
	c := newDocumentCache[string](3, maxPersistedBytes)
	for i := range 10 {
		c.add("0", "{ a }", 5)
		c.add(strconv.Itoa(i), "{ b }", 5)
	}
	if _, known := c.get("0"); !known || c.known.Len() != 3 {
		t.Errorf("%d documents, the used one known: %t", c.known.Len(), known)
	}
	c = newDocumentCache[string](1<<20, maxPersistedBytes)
	long := strings.Repeat("x", maxDocument)
	for i := range 200 {
		c.add(strconv.Itoa(i), long, maxDocument)
	}
	if c.known.Bytes() > maxPersistedBytes || c.known.Len() != maxPersistedBytes/maxDocument {
		t.Errorf("%d bytes in %d documents", c.known.Bytes(), c.known.Len())
	}
	c.add("longer", long, maxPersistedBytes+1)
	if _, known := c.get("longer"); known {
		t.Error("a document larger than the cache is kept")
	}
}
