-- +goose Up
-- written by hand: ent knows no triggers.
-- Triggers log changes up to the larger of "logged" and "pending". "pending" rises first; "logged", up to which bitmaps may have files, once all transactions have ended
-- that may have written without logging, so that nobody locks a table. docs/decisions/0057 describes it.
ALTER TABLE "bitmap_state" ADD COLUMN "pending" bigint NOT NULL DEFAULT 0;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT greatest(logged, pending) INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT id FROM added WHERE id <= upto AND kind = 1;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT greatest(logged, pending) INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT id FROM gone WHERE id <= upto AND kind = 1;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_update"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT greatest(logged, pending) INTO upto FROM bitmap_state;
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_tag"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT greatest(logged, pending) INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT DISTINCT entry_id FROM changed WHERE entry_id <= upto;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT logged INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT id FROM added WHERE id <= upto AND kind = 1;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT logged INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT id FROM gone WHERE id <= upto AND kind = 1;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "bitmap_changes_tag"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE upto bigint;
BEGIN
  SELECT logged INTO upto FROM bitmap_state;
  IF upto > 0 THEN
    INSERT INTO bitmap_changes (entry_id) SELECT DISTINCT entry_id FROM changed WHERE entry_id <= upto;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
ALTER TABLE "bitmap_state" DROP COLUMN "pending";
