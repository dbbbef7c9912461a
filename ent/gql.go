package ent

// IsNode marks what the GraphQL field node returns.
func (*User) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*APIToken) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*Session) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*Passkey) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*Group) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*SavedSearch) IsNode() {}

// IsNode marks what node returns.
func (*AuditEvent) IsNode() {}

// IsNode marks what node returns.
func (*Font) IsNode() {}

// IsNode marks what the GraphQL field node returns.
func (*Share) IsNode() {}

// IsNode marks a type of the interface Node.
func (*ShareComment) IsNode() {}

// IsNode marks a type of the interface Node.
func (*ShareReviewer) IsNode() {}

// IsNode marks what node returns.
func (*Webhook) IsNode() {}

// IsNode marks what node returns.
func (*Mail) IsNode() {}
