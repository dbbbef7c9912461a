package server_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/schema"
)

// audited says what each mutation writes into the audit log; a text with a space says why one writes nothing. The tests of the
// gallery hold that the events are written.
var audited = map[string]gallery.Action{
	"createUser":                       gallery.ActionUserCreate,
	"updateProfile":                    gallery.ActionUserUpdate,
	"changePassword":                   gallery.ActionUserPassword,
	"deactivateAccount":                gallery.ActionUserDeactivate,
	"reactivateAccount":                gallery.ActionUserReactivate,
	"deleteUser":                       gallery.ActionUserDelete,
	"logoutEverywhere":                 gallery.ActionLogoutEverywhere,
	"createApiToken":                   gallery.ActionTokenCreate,
	"revokeApiToken":                   gallery.ActionTokenRevoke,
	"uploadFile":                       gallery.ActionFileUpload,
	"addFile":                          gallery.ActionFileUpload,
	"finishUpload":                     gallery.ActionFileUpload,
	"completeUpload":                   gallery.ActionFileUpload,
	"requestUpload":                    "changes nothing that is seen, as createUpload",
	"createUpload":                     "changes nothing that is seen: the file appears with finishUpload",
	"cancelUpload":                     "changes nothing that is seen, as createUpload",
	"deleteFile":                       gallery.ActionFileDelete,
	"trashFiles":                       gallery.ActionFileTrash,
	"deleteFiles":                      gallery.ActionFileTrash,
	"restoreFiles":                     gallery.ActionFileRestore,
	"purgeFiles":                       gallery.ActionFilePurge,
	"emptyTrash":                       gallery.ActionFilePurge,
	"moveFiles":                        gallery.ActionFileMove,
	"tagFiles":                         gallery.ActionFileUpdate,
	"copyFiles":                        gallery.ActionFileCopy,
	"createFolder":                     gallery.ActionFolderCreate,
	"copyFile":                         gallery.ActionFileCopy,
	"moveFile":                         gallery.ActionFileMove,
	"updateFile":                       gallery.ActionFileUpdate,
	"rescan":                           "changes nothing but the index, which follows the storage anyway",
	"configureProcessor":               gallery.ActionProcessor,
	"purgeCache":                       gallery.ActionCachePurge,
	"saveTemplate":                     gallery.ActionTemplateSave,
	"renameTemplate":                   gallery.ActionFileMove,
	"deleteTemplate":                   gallery.ActionFileDelete,
	"regenerateTemplatePreview":        "draws a picture that follows from the template",
	"generateProcessorUrlFromTemplate": "changes nothing: it signs",
	"configureFileStorage":             gallery.ActionStorage,
	"configureS3Storage":               gallery.ActionStorage,
	"testStorageConfig":                gallery.ActionStorageTest,
	"generateProcessorUrl":             "changes nothing: it signs",
}

// TestEveryMutationIsAudited holds that nobody adds a mutation without having thought of the audit log: record its action in the
// gallery (record within a transaction, recordDone after a change of files) and give it a row above.
func TestEveryMutationIsAudited(t *testing.T) {
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Mutation.Fields {
		if _, ok := audited[f.Name]; !ok && !strings.HasPrefix(f.Name, "__") {
			t.Errorf("mutation %s has no row in the table of what is audited", f.Name)
		}
	}
	for name := range audited {
		if doc.Mutation.Fields.ForName(name) == nil {
			t.Errorf("there is no mutation %s", name)
		}
	}
}
