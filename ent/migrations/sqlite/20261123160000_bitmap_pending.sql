-- +goose Up
-- written by hand: ent does not know the table. PostgreSQL's triggers log changes up to "pending" too; SQLite has one writer at a time and leaves it 0.
ALTER TABLE `bitmap_state` ADD COLUMN `pending` integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE `bitmap_state` DROP COLUMN `pending`;
