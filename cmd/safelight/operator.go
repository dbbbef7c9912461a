package main

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
)

// operator returns a context of who runs the program on the machine itself: an admin that
// stands in no database.
func operator(ctx context.Context) context.Context {
	return auth.WithIdentity(ctx, auth.Identity{UserID: uuid.Nil, Name: "operator", Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
}
