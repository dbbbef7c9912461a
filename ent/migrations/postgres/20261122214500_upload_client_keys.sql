-- +goose Up
-- modify "pending_uploads" table
ALTER TABLE "pending_uploads" ADD COLUMN "client_key" character varying NULL;
-- create index "pendingupload_owner_id_client_key" to table: "pending_uploads"
CREATE UNIQUE INDEX "pendingupload_owner_id_client_key" ON "pending_uploads" ("owner_id", "client_key");

-- +goose Down
-- reverse: create index "pendingupload_owner_id_client_key" to table: "pending_uploads"
DROP INDEX "pendingupload_owner_id_client_key";
-- reverse: modify "pending_uploads" table
ALTER TABLE "pending_uploads" DROP COLUMN "client_key";
