-- +goose Up
-- create "pending_parts" table
CREATE TABLE `pending_parts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `upload_id` text NOT NULL, `start` integer NOT NULL, `size` integer NOT NULL, `name` text NOT NULL);
-- create index "pendingpart_upload_id_start" to table: "pending_parts"
CREATE UNIQUE INDEX `pendingpart_upload_id_start` ON `pending_parts` (`upload_id`, `start`);
-- create "pending_uploads" table
CREATE TABLE `pending_uploads` (`id` text NOT NULL, `path` text NOT NULL, `content_type` text NOT NULL, `size` integer NOT NULL, `received` integer NOT NULL DEFAULT (0), `on_conflict` text NOT NULL DEFAULT ('error'), `owner_id` uuid NOT NULL, `state` text NOT NULL DEFAULT ('open'), `target` text NOT NULL DEFAULT (''), `busy_until` datetime NULL, `created_at` datetime NOT NULL, `expires_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- create index "pendingupload_expires_at" to table: "pending_uploads"
CREATE INDEX `pendingupload_expires_at` ON `pending_uploads` (`expires_at`);
-- create index "pendingupload_owner_id_path" to table: "pending_uploads"
CREATE INDEX `pendingupload_owner_id_path` ON `pending_uploads` (`owner_id`, `path`);

-- +goose Down
-- reverse: create index "pendingupload_owner_id_path" to table: "pending_uploads"
DROP INDEX `pendingupload_owner_id_path`;
-- reverse: create index "pendingupload_expires_at" to table: "pending_uploads"
DROP INDEX `pendingupload_expires_at`;
-- reverse: create "pending_uploads" table
DROP TABLE `pending_uploads`;
-- reverse: create index "pendingpart_upload_id_start" to table: "pending_parts"
DROP INDEX `pendingpart_upload_id_start`;
-- reverse: create "pending_parts" table
DROP TABLE `pending_parts`;
