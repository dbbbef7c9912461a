-- +goose Up
-- written by hand: ent knows no triggers. A later migration that copies the table entries must make the triggers again.
-- Bitmaps have facts of a file too: its folder, size, times, width and height, color, rating. What is 0 for a change of words, type, tags,
-- folder or visibility, and 1 for one of facts alone, of which a first analysis makes very many. docs/decisions/0057 describes it.
ALTER TABLE `bitmap_changes` ADD COLUMN `what` integer NOT NULL DEFAULT 0;
CREATE INDEX `bitmap_changes_words` ON `bitmap_changes` (`entry_id`) WHERE (`what` = 0);
-- those that there are lack facts: they are made again
UPDATE `bitmap_state` SET `logged` = 0, `files` = 0, `changed` = 0, `terms` = '[]', `version` = `version` + 1;
DELETE FROM `bitmap_blocks`;
DELETE FROM `bitmap_terms`;
DELETE FROM `bitmaps`;
DELETE FROM `bitmap_changes`;
DROP TRIGGER `bitmap_changes_update`;
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_update` AFTER UPDATE OF words, kind, hidden, name, parent_id, meta_state, type, size, modified, taken_key, taken, width, height, rating, favorite, has_gps, ok_l, ok_a, ok_b ON `entries` WHEN (old.kind = 1 OR new.kind = 1) AND new.id <= (SELECT logged FROM bitmap_state) AND (old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.type <> new.type OR old.name <> new.name OR old.parent_id <> new.parent_id OR (old.meta_state = 3) <> (new.meta_state = 3) OR old.size IS NOT new.size OR old.modified IS NOT new.modified OR old.taken_key IS NOT new.taken_key OR old.taken IS NOT new.taken OR old.width IS NOT new.width OR old.height IS NOT new.height OR old.rating IS NOT new.rating OR old.favorite IS NOT new.favorite OR old.has_gps IS NOT new.has_gps OR old.ok_l IS NOT new.ok_l OR old.ok_a IS NOT new.ok_a OR old.ok_b IS NOT new.ok_b OR (old.meta_state = 4) <> (new.meta_state = 4))
BEGIN INSERT INTO `bitmap_changes` (entry_id, what) VALUES (new.id, CASE WHEN old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.type <> new.type OR old.name <> new.name OR old.parent_id <> new.parent_id OR (old.meta_state = 3) <> (new.meta_state = 3) THEN 0 ELSE 1 END); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `bitmap_changes_update`;
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_update` AFTER UPDATE OF words, kind, hidden, name, meta_state, type ON `entries` WHEN (old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.type <> new.type OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3)) AND new.id <= (SELECT logged FROM bitmap_state) BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (new.id); END;
-- +goose StatementEnd
UPDATE `bitmap_state` SET `logged` = 0, `files` = 0, `changed` = 0, `terms` = '[]', `version` = `version` + 1;
DELETE FROM `bitmap_blocks`;
DELETE FROM `bitmap_terms`;
DELETE FROM `bitmaps`;
DELETE FROM `bitmap_changes`;
DROP INDEX `bitmap_changes_words`;
ALTER TABLE `bitmap_changes` DROP COLUMN `what`;
