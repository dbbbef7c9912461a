-- +goose Up
-- create "trash_items" table
CREATE TABLE "trash_items" ("id" character varying NOT NULL, "path" character varying NOT NULL, "is_folder" boolean NOT NULL, "size" bigint NOT NULL, "files" bigint NOT NULL, "trashed_at" bigint NOT NULL, "trashed_by" character varying NOT NULL DEFAULT '', PRIMARY KEY ("id"));
-- create index "trashitem_trashed_at" to table: "trash_items"
CREATE INDEX "trashitem_trashed_at" ON "trash_items" ("trashed_at");

-- +goose Down
-- reverse: create index "trashitem_trashed_at" to table: "trash_items"
DROP INDEX "trashitem_trashed_at";
-- reverse: create "trash_items" table
DROP TABLE "trash_items";
