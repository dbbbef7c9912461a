package graph

import (
	"context"

	"github.com/safelight/safelight/graph/model"
)

// Operator provides information about the process and its dependencies. The program implements it.
type Operator interface {
	// Settings returns the effective settings, with secrets masked.
	Settings(ctx context.Context) ([]*model.Setting, error)
	// Diagnose checks the dependencies of the server.
	Diagnose(ctx context.Context) ([]*model.Finding, error)
}

// Settings resolves settings.
func (q query) Settings(ctx context.Context) ([]*model.Setting, error) {
	return q.rules.Operator.Settings(ctx)
}

// Diagnosis resolves diagnosis.
func (q query) Diagnosis(ctx context.Context) ([]*model.Finding, error) {
	return q.rules.Operator.Diagnose(ctx)
}
