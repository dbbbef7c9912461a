-- +goose Up
-- add column "owner_id" to table: "entries"
ALTER TABLE `entries` ADD COLUMN `owner_id` uuid NULL;
-- create index "entry_owner_id_kind_size" to table: "entries"
CREATE INDEX `entry_owner_id_kind_size` ON `entries` (`owner_id`, `kind`, `size`) WHERE owner_id IS NOT NULL;

-- +goose Down
-- reverse: create index "entry_owner_id_kind_size" to table: "entries"
DROP INDEX `entry_owner_id_kind_size`;
-- reverse: add column "owner_id" to table: "entries"
ALTER TABLE `entries` DROP COLUMN `owner_id`;
