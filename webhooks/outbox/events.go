package outbox

import "github.com/safelight/safelight/audit"

// Type is the type of an event, as receivers see it.
type Type string

// The types of events. A new type must be added here, to All, and to WebhookEvent in schema/webhooks.graphql.
// If the audit log records the change, add it to audited, too.
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

// All contains the types that a webhook can receive, in the order of the API.
var All = []Type{
	FileCreated, FileChanged, FileMoved, FileTrashed, FileRestored, FilePurged, FileDeleted, UploadFinished,
	ShareOpened, CommentCreated,
	AccountCreated, AccountChanged, AccountDeactivated, AccountReactivated, AccountDeleted,
}

// audited maps actions of the audit log to the events about them. It does not contain changes of files: the
// gallery reports these itself, because a change that a crash interrupted is completed without an audit
// event.
var audited = map[audit.Action]Type{
	audit.ActionFileUpload:     UploadFinished,
	audit.ActionUserRegister:   AccountCreated,
	audit.ActionUserCreate:     AccountCreated,
	audit.ActionUserUpdate:     AccountChanged,
	audit.ActionUserDeactivate: AccountDeactivated,
	audit.ActionUserReactivate: AccountReactivated,
	audit.ActionUserDelete:     AccountDeleted,
}
