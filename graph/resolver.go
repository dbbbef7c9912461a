// Package graph is the GraphQL API: resolvers that call the packages with the application logic, the
// directives that enforce scopes, and the conversion of errors. graph/exec and graph/model are generated.
package graph

import (
	"math"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/graph/exec"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/templates"
	"github.com/safelight/safelight/timeseries"
	"github.com/safelight/safelight/uploads"
	"github.com/safelight/safelight/webhooks"
)

// Rules are the packages with the application logic that resolvers call. All fields are required unless
// noted.
type Rules struct {
	Accounts  *accounts.Accounts
	Audit     *audit.Log
	Backend   *storageconfig.Settings
	Gallery   *gallery.Gallery
	Shares    *shares.Shares
	Signing   *signing.Signer
	Presets   *presets.Presets
	Archives  *archive.Archives
	Fonts     *fonts.Fonts
	Figures   *timeseries.Recorder // nil: no metrics are recorded
	MapTiles  *model.MapTiles      // nil: there are no map tiles
	Operator  Operator
	Templates *templates.Templates
	Uploads   *uploads.Uploads
	Webhooks  *webhooks.Hooks
	Mail      *mail.Mailer // nil: the server sends no e-mail
}

// resolver is the root of all resolvers.
type resolver struct{ rules Rules }

// Query returns the resolvers of Query.
func (r *resolver) Query() exec.QueryResolver { return query{r} }

// Mutation returns the resolvers of Mutation.
func (r *resolver) Mutation() exec.MutationResolver { return mutation{r} }

// User returns the resolvers of User.
func (r *resolver) User() exec.UserResolver { return users{r.rules} }

// File returns the resolvers of File.
func (r *resolver) File() exec.FileResolver { return files{r} }

// Folder returns the resolvers of Folder.
func (r *resolver) Folder() exec.FolderResolver { return folders{query{r}} }

// Subscription returns the resolvers of Subscription.
func (r *resolver) Subscription() exec.SubscriptionResolver { return subscription{r} }

// ApiToken returns the resolvers of ApiToken.
func (r *resolver) ApiToken() exec.ApiTokenResolver { return apiTokens{} } //nolint:revive // gqlgen's name

// Session returns the resolvers of Session.
func (r *resolver) Session() exec.SessionResolver { return sessions{} }

// Group returns the resolvers of Group.
func (r *resolver) Group() exec.GroupResolver { return groups{r.rules} }

// Webhook returns the resolvers of Webhook.
func (r *resolver) Webhook() exec.WebhookResolver { return hooks{r.rules} }

// MailMessage returns the resolvers of MailMessage.
func (r *resolver) MailMessage() exec.MailMessageResolver { return mailMessages{} }

// Grantee returns the resolvers of Grantee.
func (r *resolver) Grantee() exec.GranteeResolver { return grantees{} }

// Share returns the resolvers of Share.
func (r *resolver) Share() exec.ShareResolver { return shareFields{r.rules} }

// ShareComment returns the resolvers of ShareComment.
func (r *resolver) ShareComment() exec.ShareCommentResolver { return shareComments{r.rules} }

// SharePick returns the resolvers of SharePick.
func (r *resolver) SharePick() exec.SharePickResolver { return sharePicks{} }

// ShareVisits returns the resolvers of ShareVisits.
func (r *resolver) ShareVisits() exec.ShareVisitsResolver { return shareVisits{} }

// ItemResult returns the resolvers of ItemResult.
func (r *resolver) ItemResult() exec.ItemResultResolver { return bulkResults{} }

// StorageStatus returns the resolvers of StorageStatus.
func (r *resolver) StorageStatus() exec.StorageStatusResolver { return storageFields{} }

// Album returns the resolvers of Album.
func (r *resolver) Album() exec.AlbumResolver { return albums{} }

// AlbumRules returns the resolvers of AlbumRules.
func (r *resolver) AlbumRules() exec.AlbumRulesResolver { return albumRules{} }

// SavedSearch returns the resolvers of SavedSearch.
func (r *resolver) SavedSearch() exec.SavedSearchResolver { return savedSearches{} }

type (
	query    struct{ *resolver }
	mutation struct{ *resolver }
)

// yes returns the result of a Boolean mutation. A failure is an error, never false.
func yes(err error) (*bool, error) {
	if err != nil {
		return nil, err
	}
	done := true
	return &done, nil
}

// parseID parses an id of the API. It returns fault.Invalid, which names the argument.
func parseID(s, field string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return id, fault.OnField(fault.Invalid, field, "%s is not an id, expected a UUID", field)
	}
	return id, nil
}

// parseOptionalID is parseID for an optional argument.
func parseOptionalID(s *string, field string) (*uuid.UUID, error) {
	if s == nil {
		return nil, nil
	}
	id, err := parseID(*s, field)
	return &id, err
}

// value returns *p, or the zero value for nil.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// count converts a count to a 32-bit integer of GraphQL.
func count(n int) int32 { return int32(min(n, math.MaxInt32)) }
