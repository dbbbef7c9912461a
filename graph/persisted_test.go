package graph

import (
	"strconv"
	"strings"
	"testing"
)

// TestDocumentCacheIsBounded: by number and by bytes, and the document used last stays.
func TestDocumentCacheIsBounded(t *testing.T) {
	c := newDocumentCache(3)
	for i := range 10 {
		c.add("0", "{ a }")
		c.add(strconv.Itoa(i), "{ b }")
	}
	if _, known := c.get("0"); !known || c.known.Len() != 3 {
		t.Errorf("%d documents, the used one known: %t", c.known.Len(), known)
	}
	c = newDocumentCache(1 << 20)
	long := strings.Repeat("x", maxDocument)
	for i := range 200 {
		c.add(strconv.Itoa(i), long)
	}
	if c.known.Bytes() > maxPersistedBytes || c.known.Len() != maxPersistedBytes/maxDocument {
		t.Errorf("%d bytes in %d documents", c.known.Bytes(), c.known.Len())
	}
	c.add("longer", long+"x")
	if _, known := c.get("longer"); known {
		t.Error("a document longer than the limit is kept")
	}
}
