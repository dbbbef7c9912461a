-- +goose Up
-- create "trash_items" table
CREATE TABLE `trash_items` (`id` text NOT NULL, `path` text NOT NULL, `is_folder` bool NOT NULL, `size` integer NOT NULL, `files` integer NOT NULL, `trashed_at` integer NOT NULL, `trashed_by` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- create index "trashitem_trashed_at" to table: "trash_items"
CREATE INDEX `trashitem_trashed_at` ON `trash_items` (`trashed_at`);

-- +goose Down
-- reverse: create index "trashitem_trashed_at" to table: "trash_items"
DROP INDEX `trashitem_trashed_at`;
-- reverse: create "trash_items" table
DROP TABLE `trash_items`;
