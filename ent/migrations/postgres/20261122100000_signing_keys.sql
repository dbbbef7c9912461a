-- +goose Up
CREATE TABLE "signing_keys" ("id" character varying NOT NULL, "secret" character varying NOT NULL, "signer_type" character varying NOT NULL, "signer_truncate" bigint NOT NULL, "created_at" timestamptz NOT NULL, "revoked_at" timestamptz NULL, PRIMARY KEY ("id"));
-- written by hand: servers read the keys again when one was created or revoked (package database/notices)
CREATE TRIGGER signing_keys_notice AFTER INSERT OR UPDATE ON signing_keys FOR EACH ROW EXECUTE FUNCTION settings_notice();

-- +goose Down
DROP TABLE "signing_keys";
