-- +goose Up
-- Where pictures were taken. A server computes it in the background for pictures whose EXIF it has.
ALTER TABLE "entries" ADD COLUMN "map_x" bigint NULL, ADD COLUMN "map_y" bigint NULL, ADD COLUMN "place" character varying NOT NULL DEFAULT '';
-- A part of the map, with all that its clusters are made of.
CREATE INDEX "entry_map" ON "entries" ("map_x", "map_y", "kind", "hidden", "place") INCLUDE ("id") WHERE map_x IS NOT NULL;
CREATE INDEX "entry_place" ON "entries" ("place", "hidden") WHERE place <> '';
-- The pictures of which that is still to be done: nearly always none.
CREATE INDEX "entry_unplaced" ON "entries" ("id") WHERE has_gps AND map_x IS NULL;
