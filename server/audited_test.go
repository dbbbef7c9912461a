package server_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/schema"
)

// audited lists the audit action of each mutation; a text with a space is the reason why a mutation has none. The tests
// of the packages of rules verify that the events are written.
var audited = map[string]audit.Action{
	"createUser":                       audit.ActionUserCreate,
	"updateProfile":                    audit.ActionUserUpdate,
	"changePassword":                   audit.ActionUserPassword,
	"inviteUser":                       audit.ActionUserInvite,
	"deactivateAccount":                audit.ActionUserDeactivate,
	"reactivateAccount":                audit.ActionUserReactivate,
	"deleteUser":                       audit.ActionUserDelete,
	"removeAuthenticatorApp":           audit.ActionFactorRemove,
	"removePasskey":                    audit.ActionFactorRemove,
	"createRecoveryCodes":              audit.ActionRecoveryCodes,
	"resetSecondFactor":                audit.ActionFactorReset,
	"configureSecondFactor":            audit.ActionFactorPolicy,
	"createApiToken":                   audit.ActionTokenCreate,
	"endSessions":                      audit.ActionLogoutEverywhere,
	"endSession":                       audit.ActionSessionEnd,
	"revokeApiToken":                   audit.ActionTokenRevoke,
	"addFont":                          audit.ActionFontAdd,
	"deleteFont":                       audit.ActionFontDelete,
	"addFile":                          audit.ActionFileUpload,
	"finishUpload":                     audit.ActionFileUpload,
	"createUpload":                     "changes nothing that is seen: the file appears with finishUpload",
	"cancelUpload":                     "changes nothing that is seen, as createUpload",
	"trashFiles":                       audit.ActionFileTrash,
	"deleteFiles":                      audit.ActionFileTrash,
	"restoreFiles":                     audit.ActionFileRestore,
	"purgeFiles":                       audit.ActionFilePurge,
	"emptyTrash":                       audit.ActionFilePurge,
	"moveFiles":                        audit.ActionFileMove,
	"tagFiles":                         audit.ActionFileUpdate,
	"rateFiles":                        audit.ActionFileUpdate,
	"createAlbum":                      audit.ActionAlbumCreate,
	"updateAlbum":                      audit.ActionAlbumUpdate,
	"deleteAlbum":                      audit.ActionAlbumDelete,
	"addToAlbum":                       audit.ActionAlbumFiles,
	"removeFromAlbum":                  audit.ActionAlbumFiles,
	"moveInAlbum":                      audit.ActionAlbumFiles,
	"createArchive":                    "changes nothing: it lists what may be downloaded",
	"createSavedSearch":                "changes a list that only its account sees",
	"renameSavedSearch":                "changes a list that only its account sees",
	"pinFolder":                        "changes a list that only its account sees",
	"deleteSavedSearch":                "changes a list that only its account sees",
	"copyFiles":                        audit.ActionFileCopy,
	"createFolder":                     audit.ActionFolderCreate,
	"updateFile":                       audit.ActionFileUpdate,
	"rescan":                           "changes nothing but the index, which follows the storage anyway",
	"configureProcessor":               audit.ActionProcessor,
	"createFamilyKey":                  audit.ActionFamilyKeyCreate,
	"revokeFamilyKey":                  audit.ActionFamilyKeyRevoke,
	"savePreset":                       audit.ActionPresetSave,
	"deletePreset":                     audit.ActionPresetDelete,
	"purgeCache":                       audit.ActionCachePurge,
	"saveTemplate":                     audit.ActionTemplateSave,
	"restoreTemplateVersion":           audit.ActionTemplateSave,
	"renameTemplate":                   audit.ActionFileMove,
	"deleteTemplate":                   audit.ActionFileDelete,
	"regenerateTemplatePreview":        "draws a picture that follows from the template",
	"generateProcessorUrlFromTemplate": "changes nothing: it signs",
	"applyTemplate":                    "changes nothing: it signs",
	"setGrants":                        audit.ActionGrantsSet,
	"createGroup":                      audit.ActionGroupCreate,
	"updateGroup":                      audit.ActionGroupUpdate,
	"deleteGroup":                      audit.ActionGroupDelete,
	"createShare":                      audit.ActionShareCreate,
	"updateShare":                      audit.ActionShareUpdate,
	"deleteShare":                      audit.ActionShareDelete,
	"hideShareComment":                 audit.ActionCommentHide,
	"deleteShareComment":               audit.ActionCommentDelete,
	"deleteShareReviewer":              audit.ActionReviewerDelete,
	"markFeedbackSeen":                 "changes a time that only its account is shown",
	"sendShare":                        audit.ActionShareSend,
	"changeEmail":                      audit.ActionUserEmail,
	"sendTestMail":                     audit.ActionMailTest,
	"retryMail":                        audit.ActionMailRetry,
	"createWebhook":                    audit.ActionWebhookCreate,
	"updateWebhook":                    audit.ActionWebhookUpdate,
	"deleteWebhook":                    audit.ActionWebhookDelete,
	"rotateWebhookSecret":              audit.ActionWebhookRotate,
	"testWebhook":                      audit.ActionWebhookTest,
	"retryDelivery":                    audit.ActionWebhookRetry,
	"configureStorage":                 audit.ActionStorage,
	"testStorage":                      audit.ActionStorageTest,
	"generateProcessorUrl":             "changes nothing: it signs",
}

// TestEveryMutationIsAudited makes whoever adds a mutation decide on its audit event: record its action (Record in a
// transaction, RecordDone after a change of files) and add a row above.
func TestEveryMutationIsAudited(t *testing.T) {
	doc, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Mutation.Fields {
		if _, ok := audited[f.Name]; !ok && !strings.HasPrefix(f.Name, "__") {
			t.Errorf("mutation %s has no row in audited: add one with its action, or with the reason why it has none", f.Name)
		}
	}
	for name := range audited {
		if doc.Mutation.Fields.ForName(name) == nil {
			t.Errorf("audited has a row for %s, but the SDL has no such mutation: remove the row", name)
		}
	}
}
