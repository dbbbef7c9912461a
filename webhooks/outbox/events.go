package outbox

import "github.com/safelight/safelight/audit"

// Type is the type of an event, as receivers see it.
type Type string

// The types. A new one needs a line here, in All, and in WebhookEvent of schema/webhooks.graphql; one about what the
// audit log records needs a line in audited, too.
const (
	FileCreated        Type = "file.created"
	FileChanged        Type = "file.changed"
	FileMoved          Type = "file.moved"
	FileTrashed        Type = "file.trashed"
	FileRestored       Type = "file.restored"
	FilePurged         Type = "file.purged"
	FileDeleted        Type = "file.deleted"
	UploadFinished     Type = "upload.finished"
	ShareOpened        Type = "share.opened"
	CommentCreated     Type = "comment.created"
	AccountCreated     Type = "account.created"
	AccountChanged     Type = "account.changed"
	AccountDeactivated Type = "account.deactivated"
	AccountReactivated Type = "account.reactivated"
	AccountDeleted     Type = "account.deleted"

	Test Type = "webhook.test" // for one webhook, on request
)

// All are the types that a webhook can be sent, in the order of the API.
var All = []Type{
	FileCreated, FileChanged, FileMoved, FileTrashed, FileRestored, FilePurged, FileDeleted, UploadFinished,
	ShareOpened, CommentCreated,
	AccountCreated, AccountChanged, AccountDeactivated, AccountReactivated, AccountDeleted,
}

// audited are the events about what the audit log records. Changes of files are not among them: the gallery reports
// these itself, because a change that a crash interrupted is completed without an audit event.
var audited = map[audit.Action]Type{
	audit.ActionFileUpload:     UploadFinished,
	audit.ActionUserRegister:   AccountCreated,
	audit.ActionUserCreate:     AccountCreated,
	audit.ActionUserUpdate:     AccountChanged,
	audit.ActionUserDeactivate: AccountDeactivated,
	audit.ActionUserReactivate: AccountReactivated,
	audit.ActionUserDelete:     AccountDeleted,
}
