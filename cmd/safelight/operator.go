package main

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
)

// operator returns a context of the person who runs the program on the machine: an admin that is not in the database.
func operator(ctx context.Context) context.Context {
	return auth.WithIdentity(ctx, auth.Identity{UserID: uuid.Nil, Name: "operator", Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
}
