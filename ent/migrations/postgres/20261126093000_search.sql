-- +goose Up
-- The colors and the lens of pictures that are in the index are filled in by a new analysis in the background.
ALTER TABLE "entries" ADD COLUMN "lens" character varying NOT NULL DEFAULT '', ADD COLUMN "colors" character varying NOT NULL DEFAULT '';
DROP INDEX "entry_ok_l_ok_a_ok_b";
-- An index takes up to 2,700 bytes of a text.
UPDATE "entries" SET "camera" = left("camera", 200) WHERE length("camera") > 200;
CREATE INDEX "entry_camera" ON "entries" ("camera", "hidden") WHERE camera <> '';
CREATE INDEX "entry_lens" ON "entries" ("lens", "hidden") WHERE lens <> '';
CREATE INDEX "entry_colors" ON "entries" USING gin (string_to_array(colors, ' ')) WHERE colors <> '';
-- The pictures to be analyzed again: nearly always none.
CREATE INDEX "entry_without_colors" ON "entries" ("modified") WHERE meta_state = 1 AND colors = '';
-- The words of folders, which are few beside files.
CREATE INDEX "entry_folder_words" ON "entries" USING gin (array_to_tsvector(string_to_array(words, ' '))) WHERE kind = 0;

-- Files that end before their picture does.
ALTER TABLE "entries" ADD COLUMN "truncated" boolean NOT NULL DEFAULT false;
CREATE INDEX "entry_truncated" ON "entries" ("truncated") WHERE truncated;
