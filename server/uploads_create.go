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
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/uploads"
)

// maxUploadMetadata is the max length of the header Upload-Metadata.
const maxUploadMetadata = 8 << 10

// uploadCreate starts an upload as the tus extension creation defines it. tus has no request that finishes an upload,
// so the upload is finished when the last byte has arrived.
func (s uploadRoutes) uploadCreate(c *fiber.Ctx) error {
	ctx := c.UserContext()
	if !auth.FromContext(ctx).Has(auth.ScopeWrite) {
		return fault.New(fault.Forbidden, "uploads need scope write")
	}
	in, meta, err := parseCreation(c)
	if err == nil {
		err = placeUpload(&in, meta)
	}
	if err != nil {
		return err
	}
	u, err := files(ctx).Uploads.CreateUpload(ctx, in)
	if err != nil {
		return err
	}
	progress(c, u)
	c.Response().Header.Del(headerLength)
	c.Set(fiber.HeaderLocation, u.URL)
	return c.SendStatus(fiber.StatusCreated)
}

// checkTusVersion rejects requests with an unsupported tus version or without a version.
func (s uploadRoutes) checkTusVersion(c *fiber.Ctx) error {
	if c.Get(headerTus) == tusVersion {
		return c.Next()
	}
	c.Set("Tus-Version", tusVersion)
	c.Context().SetConnectionClose()
	return s.fail(c, fiber.StatusPreconditionFailed, fault.New(fault.InvalidRequest,
		"the header %s is missing or names another version, expected %s", headerTus, tusVersion))
}

// parseCreation reads the headers that start an upload: its size, its media type, which is the metadata `filetype` or
// `type`, and the other metadata.
func parseCreation(c *fiber.Ctx) (in uploads.CreateUploadInput, meta map[string]string, err error) {
	size, err := strconv.ParseInt(c.Get(headerLength), 10, 64)
	if err != nil || size < 0 {
		return in, nil, fault.New(fault.InvalidRequest,
			"the header %s is missing or not a number of bytes; deferred lengths are not supported",
			headerLength)
	}
	if meta, err = uploadMetadata(c.Get("Upload-Metadata")); err != nil {
		return in, nil, err
	}
	contentType := cmp.Or(meta["filetype"], meta["type"])
	return uploads.CreateUploadInput{SizeBytes: size, ContentType: contentType, AutoFinish: true}, meta, nil
}

// placeUpload sets the path of an upload of an account: the metadata `path`, or else `folder` joined with `filename`
// or `name`, the names that tus-js-client and Uppy use. The metadata `onConflict` is the conflict policy.
func placeUpload(in *uploads.CreateUploadInput, meta map[string]string) error {
	in.Path, in.OnConflict = meta["path"], gallery.ConflictPolicy(meta["onConflict"])
	if in.Path == "" {
		in.Path = cmp.Or(meta["filename"], meta["name"])
		if folder := meta["folder"]; folder != "" {
			in.Path = folder + "/" + in.Path
		}
	}
	switch in.OnConflict {
	case "", gallery.ConflictError, gallery.ConflictRename, gallery.ConflictReplace:
		return nil
	}
	return fault.OnField(fault.Invalid, "onConflict",
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

// finishTus finishes an upload that was created by tus once all bytes have arrived, and updates u. It acts as the
// owner of the upload. Other uploads are finished by the mutation finishUpload.
func (s uploadRoutes) finishTus(ctx context.Context, u *uploads.PendingUpload) error {
	if !u.AutoFinish || u.State == uploads.UploadDone || u.ReceivedBytes < u.SizeBytes {
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
	done, _, err := files(ctx).Uploads.FinishUpload(access.Again(auth.WithIdentity(ctx, identity)), u.ID)
	if err != nil {
		return err
	}
	*u = *done
	return nil
}
