-- +goose Up
-- A page of the files in many folders is read from the indexes of these folders, which for that hold the ids of the files.
DROP INDEX "entry_parent_id_kind_name_key";
CREATE INDEX "entry_parent_id_kind_name_key" ON "entries" ("parent_id", "kind", "name_key") INCLUDE ("id");
DROP INDEX "entry_parent_id_kind_modified_name_key";
CREATE INDEX "entry_parent_id_kind_modified_name_key" ON "entries" ("parent_id", "kind", "modified", "name_key") INCLUDE ("id");
DROP INDEX "entry_parent_id_kind_pixels_name_key";
CREATE INDEX "entry_parent_id_kind_pixels_name_key" ON "entries" ("parent_id", "kind", "pixels", "name_key") INCLUDE ("id");
DROP INDEX "entry_parent_id_kind_rating_name_key";
CREATE INDEX "entry_parent_id_kind_rating_name_key" ON "entries" ("parent_id", "kind", "rating", "name_key") INCLUDE ("id");
DROP INDEX "entry_parent_id_kind_size_name_key";
CREATE INDEX "entry_parent_id_kind_size_name_key" ON "entries" ("parent_id", "kind", "size", "name_key") INCLUDE ("id");
DROP INDEX "entry_parent_id_kind_taken_key_name_key";
CREATE INDEX "entry_parent_id_kind_taken_key_name_key" ON "entries" ("parent_id", "kind", "taken_key", "name_key") INCLUDE ("id");
