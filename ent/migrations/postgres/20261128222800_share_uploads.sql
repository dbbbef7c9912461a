-- +goose Up
-- modify "pending_uploads" table
ALTER TABLE "pending_uploads" ADD COLUMN "share_id" uuid NULL;
-- create index "pendingupload_share_id" to table: "pending_uploads"
CREATE INDEX "pendingupload_share_id" ON "pending_uploads" ("share_id");

