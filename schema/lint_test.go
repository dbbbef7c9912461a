package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/schema"
)

// public are the mutations without a directive: the gallery decides who may, for one's own account.
var public = map[string]bool{
	"updateProfile": true, "changePassword": true, "deactivateAccount": true, "createApiToken": true,
	"revokeApiToken": true,
	"endSessions":    true, "endSession": true, "createArchive": true, "changeEmail": true,
	"removeAuthenticatorApp": true, "removePasskey": true, "createRecoveryCodes": true,
}

// mission are the fields whose names, arguments and types clients rely on.
const mission = `
processorStatus: ProcessorStatus!
me: User
user(id: ID!): User
users(offset: Int = 0, limit: Int = 0, search: String): UserList
generateProcessorUrl(imagePath: String!, params: ProcessorParamsInput!): String
generateProcessorUrlFromTemplate(templateJson: String!, imagePath: String, contextPath: [String!], forPreview: Boolean, previewMaxDimensions: DimensionsInput, skipLayerId: String, appendFilters: [ProcessorFilterInput!]): String
saveTemplate(input: SaveTemplateInput!): TemplateResult
configureProcessor(input: ProcessorInput!): ProcessorConfigResult
createUser(input: CreateUserInput!): User
updateProfile(input: UpdateProfileInput!, userId: ID): User
changePassword(input: ChangePasswordInput!, userId: ID): Boolean
deactivateAccount(userId: ID): Boolean
reactivateAccount(userId: ID!): Boolean`

func load(t *testing.T) *ast.Schema {
	t.Helper()
	s, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEverythingIsDescribed(t *testing.T) {
	for name, d := range load(t).Types {
		if d.BuiltIn || strings.HasPrefix(name, "__") {
			continue
		}
		described(t, name, d.Description)
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			described(t, name+"."+f.Name, f.Description)
			for _, a := range f.Arguments {
				described(t, name+"."+f.Name+"."+a.Name, a.Description)
			}
		}
		for _, v := range d.EnumValues {
			described(t, name+"."+v.Name, v.Description)
		}
	}
}

func described(t *testing.T, what, text string) {
	t.Helper()
	if !strings.HasSuffix(strings.TrimSpace(text), ".") {
		t.Errorf("%s needs a description that is a sentence, has %q", what, text)
	}
}

func TestGuards(t *testing.T) {
	s := load(t)
	for _, root := range []*ast.Definition{s.Query, s.Mutation, s.Subscription} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if f.Type.NonNull && !strings.Contains(mission, "\n"+f.Name+":") &&
				!strings.Contains(mission, "\n"+f.Name+"(") {
				t.Errorf("%s must be nullable: an error in a non-null root field makes the whole response null", f.Name)
			}
			edit, admin := f.Directives.ForName("edit") != nil, f.Directives.ForName("admin") != nil
			if root == s.Mutation && !edit && !admin && !public[f.Name] {
				t.Errorf(
					"mutation %s has neither @edit nor @admin: add one in the SDL, or a row in public if its rules "+
						"check the caller",
					f.Name,
				)
			}
			if public[f.Name] && (edit || admin) {
				t.Errorf("mutation %s has @edit or @admin: remove it from public", f.Name)
			}
			if (edit || admin) && f.Type.NonNull {
				t.Errorf(
					"%s has @edit or @admin, so it must be nullable: otherwise one refusal makes the whole response null",
					f.Name,
				)
			}
			scope := "Scope: read"
			if admin {
				scope = "Scope: admin"
			} else if edit {
				scope = "Scope: write"
			}
			if !strings.Contains(strings.Join(strings.Fields(f.Description), " "), scope) {
				t.Errorf("the description of %s must contain %q", f.Name, scope)
			}
		}
	}
}

func TestMissionKeepsItsNames(t *testing.T) {
	s := load(t)
	have := map[string]string{}
	for _, root := range []*ast.Definition{s.Query, s.Mutation} {
		for _, f := range root.Fields {
			var args []string
			for _, a := range f.Arguments {
				text := a.Name + ": " + a.Type.String()
				if a.DefaultValue != nil {
					text += " = " + a.DefaultValue.String()
				}
				args = append(args, text)
			}
			text := f.Name
			if len(args) > 0 {
				text += "(" + strings.Join(args, ", ") + ")"
			}
			have[f.Name] = text + ": " + f.Type.String()
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(mission), "\n") {
		name := line[:strings.IndexAny(line, "(:")]
		if have[name] != line {
			t.Errorf("the SDL has\n%s, clients rely on\n%s", have[name], line)
		}
	}
}

// TestSpelling checks that names are spelled in American English, as those of CSS and HTML are.
func TestSpelling(t *testing.T) {
	for _, d := range own(load(t)) {
		for _, f := range d.Fields {
			for _, word := range []string{"colour", "cancelled"} {
				if strings.Contains(strings.ToLower(d.Name+"."+f.Name), word) {
					t.Errorf("%s.%s is spelled %s", d.Name, f.Name, word)
				}
			}
		}
	}
}

// TestOneWay checks that nothing is deprecated: a new field that overlaps with an old one replaces it.
func TestOneWay(t *testing.T) {
	for _, d := range own(load(t)) {
		for _, f := range d.Fields {
			if f.Directives.ForName("deprecated") != nil {
				t.Errorf("%s.%s is deprecated", d.Name, f.Name)
			}
		}
	}
}

// TestPayloadsHaveUserErrors checks that payloads tell about errors in one way.
func TestPayloadsHaveUserErrors(t *testing.T) {
	for _, d := range own(load(t)) {
		if !strings.HasSuffix(d.Name, "Payload") {
			continue
		}
		if f := d.Fields.ForName("userErrors"); f == nil || f.Type.String() != "[UserError!]!" {
			t.Errorf("%s needs userErrors: [UserError!]!", d.Name)
		}
		if f := d.Fields.ForName("results"); f != nil && f.Type.String() != "[ItemResult!]!" {
			t.Errorf("%s has results of type %s, expected [ItemResult!]!", d.Name, f.Type)
		}
	}
}

// TestTimes checks that the names of times say so.
func TestTimes(t *testing.T) {
	given := []string{
		"ProcessorStatus.lastUpdated",
		"ProcessorConfigResult.timestamp",
		"TimelineBucket.start",
		"TimelineBucket.end",
	}
	for _, d := range own(load(t)) {
		if d.Kind != ast.Object {
			continue
		}
		for _, f := range d.Fields {
			name := d.Name + "." + f.Name
			if f.Type.Name() == "Time" && !strings.HasSuffix(f.Name, "At") && !slices.Contains(given, name) {
				t.Errorf("%s is a time whose name does not end in At", name)
			}
		}
	}
}

// TestScalars checks that every scalar says where it is specified.
func TestScalars(t *testing.T) {
	for _, d := range own(load(t)) {
		if d.Kind == ast.Scalar && d.Directives.ForName("specifiedBy") == nil {
			t.Errorf("scalar %s needs @specifiedBy", d.Name)
		}
	}
}

// TestErrorCodes checks that the enum has the codes of package fault.
func TestErrorCodes(t *testing.T) {
	var have, want []string
	for _, v := range load(t).Types["ErrorCode"].EnumValues {
		have = append(have, v.Name)
	}
	for _, c := range fault.Codes() {
		want = append(want, string(c))
	}
	if !slices.Equal(have, want) {
		t.Errorf("ErrorCode has %v, package fault %v", have, want)
	}
}
