package ent

// IsNode marks what the GraphQL field node returns.
func (*User) IsNode() {}
