-- +goose Up
CREATE TABLE "archives" ("id" character varying NOT NULL, "account_id" uuid NOT NULL, "guest" boolean NOT NULL DEFAULT false, "name" character varying NOT NULL, "paths" jsonb NOT NULL, "created_at" timestamptz NOT NULL, "expires_at" timestamptz NOT NULL, PRIMARY KEY ("id"));
CREATE INDEX "archive_expires_at" ON "archives" ("expires_at");
CREATE INDEX "archive_account_id_created_at" ON "archives" ("account_id", "created_at");
CREATE TABLE "saved_searches" ("id" uuid NOT NULL, "user_id" uuid NOT NULL, "name" character varying NOT NULL, "name_key" character varying NOT NULL, "folder" character varying NOT NULL DEFAULT '', "recursive" boolean NOT NULL DEFAULT true, "search" character varying NOT NULL DEFAULT '', "filter" character varying NOT NULL DEFAULT '', "sort" character varying NOT NULL DEFAULT 'NAME', "descending" boolean NOT NULL DEFAULT false, "created_at" timestamptz NOT NULL, PRIMARY KEY ("id"));
CREATE UNIQUE INDEX "savedsearch_user_id_name_key" ON "saved_searches" ("user_id", "name_key");

-- +goose Down
DROP TABLE "saved_searches";
DROP TABLE "archives";
