package graph

import (
	"context"

	"github.com/safelight/safelight/graph/model"
)

// Operator tells about the process and what it depends on. The program implements it.
type Operator interface {
	// Settings returns the effective settings, with secrets masked.
	Settings(ctx context.Context) ([]*model.Setting, error)
	// Diagnose checks what the server depends on.
	Diagnose(ctx context.Context) ([]*model.Finding, error)
}

// Settings answers settings.
func (q query) Settings(ctx context.Context) ([]*model.Setting, error) {
	return q.rules.Operator.Settings(ctx)
}

// Diagnosis answers diagnosis.
func (q query) Diagnosis(ctx context.Context) ([]*model.Finding, error) {
	return q.rules.Operator.Diagnose(ctx)
}
