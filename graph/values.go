package graph

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// listSizes contains the maximum sizes of lists of objects that do not depend on arguments. The sizes of the
// lists in pageFields are set by `first`, `limit`, or the paths or ids of an input. A list that is rarely
// longer, such as the EXIF data of a photo, has its usual maximum here. The limit of bytes applies in any
// case.
var listSizes = map[string]int{
	"DuplicateGroup.files":     100,
	"File.exif":                100,
	"MetricsSample.stages":     5,
	"ServerMetrics.samples":    360,
	"PendingUpload.headers":    2,
	"Preset.parameters":        8,
	"Preset.versions":          200,
	"PresetVersion.parameters": 8,
	"ProcessorUrl.filters":     100,
	"Query.diagnosis":          50,
	"Query.filesByPath":        1000,
	"Query.foldersById":        100,
	"Query.grantees":           50,
	"Query.grants":             2000,
	"Query.mapClusters":        500,
	"Query.pinnedFolders":      50,
	"Query.settings":           200,
	"Query.suggestions":        50,
	"Query.timeline":           20_000,
	"SecondFactor.passkeys":    20,
	"SetGrantsPayload.grants":  2000,
	"Share.reviewers":          100,
	"Share.visitsByDay":        30,
	"ShareFeedback.picks":      100,
	"SimilarGroup.files":       100,
	"Template.variables":       50,
	"Template.versions":        21,
}

// pageFields are the lists whose size is set by an argument of the parent field.
var pageFields = map[string]bool{"edges": true, "nodes": true, "items": true, "results": true}

// asking are the fields that query the database or the storage for each item of the parent list, or of the
// lists in their arguments. All connections do so, too.
var asking = map[string]bool{
	"Album.cover":                        true,
	"Album.fileCount":                    true,
	"Album.places":                       true,
	"AlbumConnection.totalCount":         true,
	"ApiTokenConnection.totalCount":      true,
	"AuditEventConnection.totalCount":    true,
	"DuplicateGroup.files":               true,
	"File.folder":                        true,
	"FileConnection.totalCount":          true,
	"Query.fileCounts":                   true,
	"ItemResult.file":                    true,
	"ItemResult.folder":                  true,
	"Folder.hasFolders":                  true,
	"Folder.parent":                      true,
	"Folder.fileCount":                   true,
	"Folder.totalSize":                   true,
	"FolderConnection.totalCount":        true,
	"UserConnection.totalCount":          true,
	"IndexStatus.pendingFiles":           true,
	"SimilarGroup.files":                 true,
	"Share.album":                        true,
	"Share.isActive":                     true,
	"Share.owner":                        true,
	"Share.paths":                        true,
	"Share.visitsByDay":                  true,
	"ShareConnection.totalCount":         true,
	"TagConnection.totalCount":           true,
	"TrashedFileConnection.totalCount":   true,
	"User.secondFactor":                  true,
	"User.storedBytes":                   true,
	"Share.newFeedback":                  true,
	"Share.reviewers":                    true,
	"ShareComment.file":                  true,
	"ShareCommentConnection.totalCount":  true,
	"ShareFeedbackConnection.totalCount": true,
}

// walking are the fields that go through all files below folders, with the number of values that each counts
// as: so many queries take about as long.
var walking = map[string]int{"Mutation.createArchive": 20_000}

const (
	askingWeight = 10      // number of values that a field in asking counts as
	maxLimit     = 1000    // maximum of `limit`
	maxValues    = 1 << 40 // larger products are limited to this
)

// counter counts the values that an operation can return.
type counter struct {
	schema    *ast.Schema
	operation *graphql.OperationContext
}

// countValues returns the maximum number of values in the response to an operation: fields of objects,
// multiplied by the sizes of their lists. An item of a list in the arguments, at any depth, counts as one value. A
// field that queries the database counts as askingWeight, and so does each item in its arguments; those in walking
// count as more.
func countValues(schema *ast.Schema, o *graphql.OperationContext) int {
	c := counter{schema, o}
	root := map[ast.Operation]*ast.Definition{
		ast.Query:        schema.Query,
		ast.Mutation:     schema.Mutation,
		ast.Subscription: schema.Subscription,
	}
	return c.object(root[o.Operation.Operation], o.Operation.SelectionSet, 1)
}

// object counts the values of one object. page is the size of its lists that are in pageFields.
func (c counter) object(d *ast.Definition, set ast.SelectionSet, page int) int {
	if len(set) == 0 || strings.HasPrefix(d.Name, "__") { // introspection is checked with the document
		return 0
	}
	most := 0
	for _, concrete := range c.schema.GetPossibleTypes(d) {
		satisfies := []string{concrete.Name}
		for _, i := range c.schema.GetImplements(concrete) {
			satisfies = append(satisfies, i.Name)
		}
		sum := 0
		for _, f := range graphql.CollectFields(c.operation, set, satisfies) {
			sum = min(sum+c.field(concrete, f, page), maxValues)
		}
		most = max(most, sum)
	}
	return most
}

// field counts the values of a field and everything below it.
func (c counter) field(in *ast.Definition, f graphql.CollectedField, page int) int {
	d := in.Fields.ForName(f.Name)
	if d == nil { // __typename, __schema, __type
		return 1
	}
	weight := 1
	if asking[in.Name+"."+f.Name] || strings.HasSuffix(d.Type.Name(), "Connection") {
		weight = askingWeight
	}
	own := weight + walking[in.Name+"."+f.Name]
	arguments := f.ArgumentMap(c.operation.Variables)
	for _, a := range arguments {
		own += weight * items(a)
	}
	below := pageSize(d, arguments)
	each := c.object(c.schema.Types[d.Type.Name()], f.Selections, below)
	return min(own+each*listSize(in, d, page, below), maxValues)
}

// items counts the items of the lists in an argument, also of those in its objects, such as the tags of a filter.
func items(argument any) (n int) {
	switch a := argument.(type) {
	case []any:
		n = len(a)
		for _, item := range a {
			n += items(item)
		}
	case map[string]any:
		for _, value := range a {
			n += items(value)
		}
	}
	return n
}

// listSize returns the maximum number of items of a field, or 1 if it is not a list of objects. page is the
// size that the parent field sets. own is the size that the field's own arguments set.
func listSize(in *ast.Definition, d *ast.FieldDefinition, page, own int) int {
	switch {
	case d.Type.Elem == nil:
		return 1
	case pageFields[d.Name]:
		return page
	case d.Name == "userErrors":
		return 1
	case d.Arguments.ForName("first") != nil:
		return own
	}
	if n, known := listSizes[in.Name+"."+d.Name]; known {
		return n
	}
	return database.MaxPage
}

// pageSize returns the size of the page that arguments request, limited to the valid range. The resolver
// rejects a size outside this range with an explanation.
func pageSize(d *ast.FieldDefinition, arguments map[string]any) int {
	switch {
	case d.Arguments.ForName("first") != nil:
		return int(min(max(integer(arguments["first"], database.MaxPage), 1), database.MaxPage))
	case d.Arguments.ForName("limit") != nil:
		if n := integer(arguments["limit"], 0); n > 0 {
			return int(min(n, maxLimit))
		}
		return maxLimit
	}
	input, _ := arguments["input"].(map[string]any)
	for _, name := range []string{"paths", "ids"} {
		if list, ok := input[name].([]any); ok {
			return len(list)
		}
		if input[name] != nil {
			return 1 // GraphQL accepts a single value as a list of one
		}
	}
	return 1
}

// integer returns the value of a numeric argument. For null and anything else, it returns missing.
func integer(v any, missing int64) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case interface{ Int64() (int64, error) }: // json.Number
		if i, err := n.Int64(); err == nil {
			return i
		}
	case float64:
		return int64(n)
	}
	return missing
}

// checkValues returns fault.TooLarge for an operation that could return more than max values.
func checkValues(n, most int) error {
	if n <= most {
		return nil
	}
	return fault.New(
		fault.TooLarge,
		"the operation could return %d values, expected at most %d: ask for fewer items by first, limit or paths, "+
			"or for fewer fields, or send several operations",
		n,
		most,
	)
}
