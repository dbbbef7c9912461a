package server

import (
	"bytes"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/limits"
)

// decodeParams decodes one request and rejects batches. Its errors do not quote the body, because that may contain a
// password.
func decodeParams(b []byte) (*graphql.RawParams, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, fault.New(fault.InvalidRequest, "the body is missing, expected a JSON object")
	}
	if err := limits.CheckJSON(b); err != nil {
		return nil, err
	}
	return decodeOperation(b)
}

// decodeOperation decodes one operation of a body that is already checked. The query may be missing if the request
// names a persisted one.
func decodeOperation(b []byte) (*graphql.RawParams, error) {
	o, err := parseObject(b)
	if err != nil {
		return nil, err
	}
	p := new(graphql.RawParams)
	if p.Extensions, err = o.object("extensions"); err != nil {
		return nil, err
	}
	if p.Query, err = o.text("query", p.Extensions[persistedQuery] != nil); err != nil {
		return nil, err
	}
	if p.OperationName, err = o.text("operationName", true); err != nil {
		return nil, err
	}
	p.Variables, err = o.object("variables")
	return p, err
}

// persistedQuery is the name of the extension that contains the hash of a persisted query.
const persistedQuery = "persistedQuery"

// object decodes a field that must be an object or missing. Numbers become json.Number.
func (o object) object(field string) (map[string]any, error) {
	raw, ok := o[field]
	if !ok {
		return nil, nil
	}
	m, err := decodeObject(raw)
	if err != nil {
		return nil, fault.OnField(fault.InvalidRequest, field, "field %s has the wrong type, expected an object", field)
	}
	return m, nil
}

func decodeObject(raw []byte) (map[string]any, error) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	return m, nil
}

// queryParams reads the parameters of a GET.
func queryParams(c *fiber.Ctx) (*graphql.RawParams, error) {
	p := &graphql.RawParams{Query: c.Query("query"), OperationName: c.Query("operationName")}
	for name, to := range map[string]*map[string]any{"variables": &p.Variables, "extensions": &p.Extensions} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		m, err := decodeObject([]byte(text))
		if err != nil {
			return nil, fault.OnField(fault.InvalidRequest, name, "parameter %s is not JSON, expected an object", name)
		}
		*to = m
	}
	if p.Query == "" && p.Extensions[persistedQuery] == nil {
		return nil, fault.OnField(fault.InvalidRequest, "query",
			"parameter query is missing, expected a GraphQL document")
	}
	return p, nil
}
