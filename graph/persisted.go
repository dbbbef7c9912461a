package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/cache/lru"
	"github.com/safelight/safelight/fault"
)

// The messages and codes of automatic persisted queries. Clients depend on them.
const (
	persistedNotFound         = "PersistedQueryNotFound"
	persistedNotFoundCode     = "PERSISTED_QUERY_NOT_FOUND"
	persistedNotSupported     = "PersistedQueryNotSupported"
	persistedNotSupportedCode = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// maxPersistedBytes is the maximum total size of the persisted queries of a server.
const maxPersistedBytes = 16 << 20

// persisted implements Apollo's automatic persisted queries: a client sends the SHA-256 of a document, and
// the document itself only if this server does not know it. Documents are identified only by their hashes, so
// clients can share them.
type persisted struct{ documents *documentCache[string] }

// ExtensionName implements graphql.HandlerExtension.
func (persisted) ExtensionName() string { return "PersistedQueries" }

// Validate implements graphql.HandlerExtension.
func (persisted) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator.
func (p persisted) MutateOperationParameters(ctx context.Context, raw *graphql.RawParams) *gqlerror.Error {
	if raw.Extensions["persistedQuery"] == nil {
		return nil
	}
	hash, err := persistedHash(raw.Extensions["persistedQuery"])
	switch {
	case err != nil:
		return refusal(ctx, err)
	case p.documents == nil && raw.Query != "":
		return nil
	case p.documents == nil:
		return coded(ctx, persistedNotSupported, persistedNotSupportedCode)
	case raw.Query == "":
		query, known := p.documents.get(hash)
		if !known {
			return coded(ctx, persistedNotFound, persistedNotFoundCode)
		}
		raw.Query = query
		return nil
	}
	if sum := sha256.Sum256([]byte(raw.Query)); hex.EncodeToString(sum[:]) != hash {
		return refusal(ctx, fault.OnField(
			fault.Invalid, "extensions.persistedQuery.sha256Hash",
			"the hash is not that of the document, expected its SHA-256 in hexadecimal",
		))
	}
	if len(raw.Query) <= maxDocument { // longer documents are never executed
		p.documents.add(hash, raw.Query, int64(len(raw.Query)))
	}
	return nil
}

// persistedHash returns the hash in the extension. It returns fault.Invalid if the extension is malformed.
func persistedHash(extension any) (string, error) {
	fields, _ := extension.(map[string]any)
	if version := fmt.Sprint(fields["version"]); version != "1" {
		return "", fault.OnField(
			fault.Invalid, "extensions.persistedQuery.version",
			"the version of the persisted query is unknown, expected 1",
		)
	}
	hash, _ := fields["sha256Hash"].(string)
	if len(hash) != hex.EncodedLen(sha256.Size) {
		return "", fault.OnField(
			fault.Invalid, "extensions.persistedQuery.sha256Hash",
			"the hash of the persisted query is missing or malformed, expected 64 hexadecimal digits",
		)
	}
	return strings.ToLower(hash), nil
}

// coded returns an error with the message and code that a protocol specifies.
func coded(ctx context.Context, message, code string) *gqlerror.Error {
	e := gqlerror.Errorf("%s", message)
	extend(ctx, e, code, "")
	return e
}

// documentCache is an LRU cache of results for documents, keyed by the documents or their hashes. Its number
// of entries and bytes are limited.
type documentCache[V any] struct {
	max   int
	bytes int64
	mu    sync.Mutex
	known *lru.List[string, V]
}

// newDocumentCache returns a cache of at most max documents and bytes in total. It returns nil if max is 0.
func newDocumentCache[V any](max int, bytes int64) *documentCache[V] {
	if max <= 0 {
		return nil
	}
	return &documentCache[V]{max: max, bytes: bytes, known: lru.New[string, V]()}
}

func (c *documentCache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known.Get(key)
}

// add adds a value with its size in bytes.
func (c *documentCache[V]) add(key string, v V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Put(key, v, bytes)
	for c.known.Len() > c.max || c.known.Bytes() > c.bytes {
		oldest, _ := c.known.Oldest()
		c.known.Remove(oldest)
	}
}

// The limits of the cache of parsed documents.
const (
	maxParsed      = 1000
	maxParsedBytes = 16 << 20
)

// parsedDocuments caches documents that were parsed and validated, by their text.
type parsedDocuments struct {
	documents *documentCache[*ast.QueryDocument]
}

// Get implements graphql.Cache.
func (p parsedDocuments) Get(_ context.Context, text string) (*ast.QueryDocument, bool) {
	return p.documents.get(text)
}

// Add implements graphql.Cache.
func (p parsedDocuments) Add(_ context.Context, text string, d *ast.QueryDocument) {
	p.documents.add(text, d, parsedBytes(text))
}

// parsedBytes estimates the memory of a parsed document with its text. Each node is larger than its name.
// Measured: 22 bytes per byte of text for ordinary operations, 78 for a list of short fields.
func parsedBytes(text string) int64 { return 80 * int64(len(text)) }
