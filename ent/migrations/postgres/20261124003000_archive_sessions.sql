-- +goose Up
ALTER TABLE "archives" ADD COLUMN "token_id" character varying NOT NULL DEFAULT '', ADD COLUMN "token_version" bigint NOT NULL DEFAULT 0, ADD COLUMN "api_token" boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE "archives" DROP COLUMN "api_token", DROP COLUMN "token_version", DROP COLUMN "token_id";
