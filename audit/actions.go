package audit

// Action is what was done.
type Action string

// The actions.
const (
	ActionLogin            Action = "login.success"
	ActionLoginFailed      Action = "login.failure"
	ActionLogout           Action = "login.end"
	ActionLogoutEverywhere Action = "login.end-all"
	ActionSessionEnd       Action = "session.end"
	ActionUserRegister     Action = "user.register"
	ActionUserCreate       Action = "user.create"
	ActionUserUpdate       Action = "user.update"
	ActionUserPassword     Action = "user.password"
	ActionUserInvite       Action = "user.invite"
	ActionUserLink         Action = "user.link"
	ActionUserDeactivate   Action = "user.deactivate"
	ActionUserReactivate   Action = "user.reactivate"
	ActionUserDelete       Action = "user.delete"
	ActionTokenCreate      Action = "token.create"
	ActionTokenRevoke      Action = "token.revoke"
	ActionKeysRotate       Action = "keys.rotate"
	ActionProcessor        Action = "processor.configure"
	ActionFamilyKeyCreate  Action = "family-key.create"
	ActionFamilyKeyRevoke  Action = "family-key.revoke"
	ActionPresetSave       Action = "preset.save"
	ActionPresetDelete     Action = "preset.delete"
	ActionStorage          Action = "storage.configure"
	ActionStorageTest      Action = "storage.test"
	ActionFileUpload       Action = "file.upload"
	ActionFileDelete       Action = "file.delete"
	ActionFileTrash        Action = "file.trash"
	ActionFileRestore      Action = "file.restore"
	ActionFilePurge        Action = "file.purge"
	ActionFileCopy         Action = "file.copy"
	ActionFileMove         Action = "file.move"
	ActionFileUpdate       Action = "file.update"
	ActionFolderCreate     Action = "folder.create"
	ActionTemplateSave     Action = "template.save"
	ActionAuditPrune       Action = "audit.prune"
	ActionCachePurge       Action = "cache.purge"
)
