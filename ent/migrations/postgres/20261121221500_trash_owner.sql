-- +goose Up
-- modify "trash_items" table
ALTER TABLE "trash_items" ADD COLUMN "trashed_by_id" character varying NOT NULL DEFAULT '';

-- +goose Down
-- reverse: modify "trash_items" table
ALTER TABLE "trash_items" DROP COLUMN "trashed_by_id";
