-- +goose Up
-- written by hand: ent knows no triggers.
-- Bitmaps have facts of a file too: its folder, size, times, width and height, color, rating. What is 0 for a change of words, type, tags,
-- folder or visibility, and 1 for one of facts alone, of which a first analysis makes very many. docs/decisions/0057 describes it.
ALTER TABLE "bitmap_changes" ADD COLUMN "what" smallint NOT NULL DEFAULT 0;
CREATE INDEX "bitmap_changes_words" ON "bitmap_changes" ("entry_id") WHERE ("what" = 0);
-- those that there are lack facts: they are made again
UPDATE "bitmap_state" SET "logged" = 0, "files" = 0, "changed" = 0, "terms" = '[]', "version" = "version" + 1;
DELETE FROM "bitmap_blocks";
DELETE FROM "bitmap_terms";
DELETE FROM "bitmaps";
DELETE FROM "bitmap_changes";
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_update"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT logged INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id, what) SELECT id, what FROM (SELECT a.id, CASE
        WHEN a.words <> g.words OR a.kind <> g.kind OR a.hidden <> g.hidden OR a.type <> g.type OR a.name <> g.name OR a.parent_id <> g.parent_id OR (a.meta_state = 3) <> (g.meta_state = 3) THEN 0
        WHEN (a.size, a.modified, a.taken_key, a.taken, a.width, a.height, a.rating, a.favorite, a.has_gps, a.meta_state = 4, a.ok_l, a.ok_a, a.ok_b)
          IS DISTINCT FROM (g.size, g.modified, g.taken_key, g.taken, g.width, g.height, g.rating, g.favorite, g.has_gps, g.meta_state = 4, g.ok_l, g.ok_a, g.ok_b) THEN 1
        END AS what FROM added a JOIN gone g ON g.id = a.id WHERE a.id <= upto AND (a.kind = 1 OR g.kind = 1)) AS d WHERE what IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_update"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT logged INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT a.id FROM added a JOIN gone g ON g.id = a.id WHERE a.id <= upto
      AND (a.words <> g.words OR a.kind <> g.kind OR a.hidden <> g.hidden OR a.type <> g.type OR a.name <> g.name OR (a.meta_state = 3) <> (g.meta_state = 3));
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
UPDATE "bitmap_state" SET "logged" = 0, "files" = 0, "changed" = 0, "terms" = '[]', "version" = "version" + 1;
DELETE FROM "bitmap_blocks";
DELETE FROM "bitmap_terms";
DELETE FROM "bitmaps";
DELETE FROM "bitmap_changes";
DROP INDEX "bitmap_changes_words";
ALTER TABLE "bitmap_changes" DROP COLUMN "what";
