-- +goose Up
-- add column "trashed_by_id" to table: "trash_items"
ALTER TABLE `trash_items` ADD COLUMN `trashed_by_id` text NOT NULL DEFAULT ('');

-- +goose Down
-- reverse: add column "trashed_by_id" to table: "trash_items"
ALTER TABLE `trash_items` DROP COLUMN `trashed_by_id`;
