package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/uploads"
)

// maxUploadMetadata is the max length of the header Upload-Metadata.
const maxUploadMetadata = 8 << 10

// uploadCreate starts an upload by the tus extension creation. Clients of tus know no finishUpload: the last byte
// publishes the file.
func (s uploadRoutes) uploadCreate(c *fiber.Ctx) error {
	if c.Get(headerTus) != tusVersion {
		return s.wrongTus(c)
	}
	ctx := c.UserContext()
	if !auth.FromContext(ctx).Has(auth.ScopeWrite) {
		return s.refuseUpload(c, nil, fault.New(fault.Forbidden, "uploads need scope write"))
	}
	in, err := creationOf(c)
	if err != nil {
		return s.refuseUpload(c, nil, err)
	}
	u, err := files(ctx).Uploads.CreateUpload(ctx, in)
	if err != nil {
		return s.refuseUpload(c, nil, err)
	}
	progress(c, u)
	c.Response().Header.Del(headerLength)
	c.Set(fiber.HeaderLocation, u.URL)
	return c.SendStatus(fiber.StatusCreated)
}

// wrongTus answers a request of another version of tus, or of none.
func (s uploadRoutes) wrongTus(c *fiber.Ctx) error {
	c.Set("Tus-Version", tusVersion)
	c.Context().SetConnectionClose()
	return s.failWith(c, fiber.StatusPreconditionFailed, fault.New(fault.InvalidRequest,
		"the header %s is missing or names another version, expected %s", headerTus, tusVersion))
}

// creationOf reads the headers of a creation. The file's path is the metadata `path`, else `folder` joined with
// `filename` or `name`, the names that tus-js-client and Uppy use; its media type is `filetype` or `type`.
func creationOf(c *fiber.Ctx) (in uploads.CreateUploadInput, err error) {
	size, err := strconv.ParseInt(c.Get(headerLength), 10, 64)
	if err != nil || size < 0 {
		return in, fault.New(fault.InvalidRequest,
			"the header %s is missing or not a number of bytes; a length that follows later is not supported",
			headerLength)
	}
	meta, err := uploadMetadata(c.Get("Upload-Metadata"))
	if err != nil {
		return in, err
	}
	in = uploads.CreateUploadInput{Path: meta["path"], ContentType: cmp.Or(meta["filetype"], meta["type"]),
		SizeBytes: size, OnConflict: gallery.ConflictPolicy(meta["onConflict"]), Publish: true}
	if in.Path == "" {
		in.Path = cmp.Or(meta["filename"], meta["name"])
		if folder := meta["folder"]; folder != "" {
			in.Path = folder + "/" + in.Path
		}
	}
	switch in.OnConflict {
	case "", gallery.ConflictError, gallery.ConflictRename, gallery.ConflictReplace:
		return in, nil
	}
	return in, fault.OnField(fault.Invalid, "onConflict",
		"the conflict policy is unknown, expected ERROR, RENAME or REPLACE")
}

// uploadMetadata decodes pairs of a key and a base64 value, separated by commas.
func uploadMetadata(header string) (map[string]string, error) {
	malformed := fault.New(fault.InvalidRequest,
		"the header Upload-Metadata is malformed, expected KEY BASE64, KEY BASE64")
	if len(header) > maxUploadMetadata {
		return nil, malformed
	}
	meta := map[string]string{}
	for pair := range strings.SplitSeq(header, ",") {
		key, text, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if _, twice := meta[key]; err != nil || twice {
			return nil, malformed
		}
		meta[key] = string(value)
	}
	return meta, nil
}

// publish finishes an upload that tus created, once all bytes have arrived, in the name of its owner, and updates u.
func (s uploadRoutes) publish(ctx context.Context, u *uploads.PendingUpload) error {
	if !u.Publish || u.State == uploads.UploadDone || u.ReceivedBytes < u.SizeBytes {
		return nil
	}
	owner, err := s.Accounts.User(ctx, u.OwnerID)
	if err != nil {
		return err
	}
	scopes := auth.Role(owner.Role).Scopes()
	identity := auth.Identity{UserID: owner.ID, Name: owner.Username, Role: auth.Role(owner.Role), Scopes: scopes}
	if !owner.IsActive || !identity.Has(auth.ScopeWrite) {
		return fault.New(fault.Forbidden, "the account that started the upload may not write files")
	}
	done, _, err := files(ctx).Uploads.FinishUpload(auth.WithIdentity(ctx, identity), u.ID)
	if err != nil {
		return err
	}
	*u = *done
	return nil
}
