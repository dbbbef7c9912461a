package graph

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// listSizes is how many items the lists of objects have at most, as far as no argument says so: `first`, `limit`, and
// the paths or ids of an input set the size of the lists in pageFields. A list that can be longer in rare cases, such
// as the EXIF of a photo, has its usual maximum here; the limit of bytes holds in any case.
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

// pageFields are the lists whose size an argument of the field above them sets.
var pageFields = map[string]bool{"edges": true, "nodes": true, "items": true, "results": true}

// asking are the fields that ask the database or the storage for each item of the list above them, or of the lists in
// their arguments. So does each connection.
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

const (
	askingWeight = 10      // values that a field in asking counts as
	maxLimit     = 1000    // of `limit`
	maxValues    = 1 << 40 // larger products stay there
)

// counter counts the values that an operation can return.
type counter struct {
	schema    *ast.Schema
	operation *graphql.OperationContext
}

// countValues returns how many values the answer to an operation can have: fields of objects, those of a list times its
// size. An item of a list in the arguments counts as one. A field that asks the database counts as askingWeight, and so
// does each item in its arguments.
func countValues(schema *ast.Schema, o *graphql.OperationContext) int {
	c := counter{schema, o}
	root := map[ast.Operation]*ast.Definition{
		ast.Query:        schema.Query,
		ast.Mutation:     schema.Mutation,
		ast.Subscription: schema.Subscription,
	}
	return c.object(root[o.Operation.Operation], o.Operation.SelectionSet, 1)
}

// object counts the values of one object. page is the size of its lists in pageFields.
func (c counter) object(d *ast.Definition, set ast.SelectionSet, page int) int {
	if len(set) == 0 || strings.HasPrefix(d.Name, "__") { // documents are checked for introspection on its own
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

// field counts the values of a field and of all that is below it.
func (c counter) field(in *ast.Definition, f graphql.CollectedField, page int) int {
	d := in.Fields.ForName(f.Name)
	if d == nil { // __typename, __schema, __type
		return 1
	}
	weight := 1
	if asking[in.Name+"."+f.Name] || strings.HasSuffix(d.Type.Name(), "Connection") {
		weight = askingWeight
	}
	own := weight
	arguments := f.ArgumentMap(c.operation.Variables)
	for _, a := range arguments {
		if list, ok := a.([]any); ok {
			own += weight * len(list)
		}
	}
	below := pageSize(d, arguments)
	each := c.object(c.schema.Types[d.Type.Name()], f.Selections, below)
	return min(own+each*listSize(in, d, page, below), maxValues)
}

// listSize returns how many items a field has at most: 1 if it is not a list of objects. page is the size that the
// field above it sets, own the one that its own arguments set.
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

// pageSize returns the size of the page that arguments ask for. One outside of the limits is that of the nearest limit:
// the resolver refuses it, and says why.
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
			return 1 // a single value stands for a list of one
		}
	}
	return 1
}

// integer returns the number of an argument, or missing for null and anything else.
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
