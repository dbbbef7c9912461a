-- +goose Up
-- written by hand: ent knows no triggers. A later migration that copies the table entries must make the triggers again.
-- Which visible files have a word, tag or type: bitmaps of blocks of 65,536 ids, as counts of searches intersect them. The background makes
-- them; a file that changes after that is in bitmap_changes, if its id is at most `logged`, and is looked up. docs/decisions/0057 describes it.
CREATE TABLE `bitmap_state` (`id` integer NOT NULL PRIMARY KEY CHECK (`id` = 1), `logged` integer NOT NULL, `files` integer NOT NULL, `changed` integer NOT NULL, `terms` text NOT NULL, `version` integer NOT NULL);
INSERT INTO `bitmap_state` VALUES (1, 0, 0, 0, '[]', 0);
CREATE TABLE `bitmap_blocks` (`block` integer NOT NULL PRIMARY KEY, `upto` integer NOT NULL, `files` integer NOT NULL, `version` integer NOT NULL, `terms_version` integer NOT NULL);
CREATE TABLE `bitmap_terms` (`term` text NOT NULL, `block` integer NOT NULL, `number` integer NOT NULL, PRIMARY KEY (`term`, `block`)) WITHOUT ROWID;
CREATE INDEX `bitmap_terms_block` ON `bitmap_terms` (`block`);
CREATE TABLE `bitmaps` (`block` integer NOT NULL, `number` integer NOT NULL, `bits` blob NOT NULL, PRIMARY KEY (`block`, `number`));
CREATE TABLE `bitmap_changes` (`id` integer NOT NULL PRIMARY KEY, `entry_id` integer NOT NULL);
-- the id of a new row is larger than any before, so than `logged`
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_delete` AFTER DELETE ON `entries` WHEN old.id <= (SELECT logged FROM bitmap_state) AND old.kind = 1 BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (old.id); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_update` AFTER UPDATE OF words, kind, hidden, name, meta_state, type ON `entries` WHEN (old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.type <> new.type OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3)) AND new.id <= (SELECT logged FROM bitmap_state) BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (new.id); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_tag` AFTER INSERT ON `taggings` WHEN new.entry_id <= (SELECT logged FROM bitmap_state) BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (new.entry_id); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_untag` AFTER DELETE ON `taggings` WHEN old.entry_id <= (SELECT logged FROM bitmap_state) BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (old.entry_id); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `bitmap_changes_retag` AFTER UPDATE ON `taggings` WHEN min(old.entry_id, new.entry_id) <= (SELECT logged FROM bitmap_state) BEGIN INSERT INTO `bitmap_changes` (entry_id) VALUES (old.entry_id), (new.entry_id); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `bitmap_changes_retag`;
DROP TRIGGER `bitmap_changes_untag`;
DROP TRIGGER `bitmap_changes_tag`;
DROP TRIGGER `bitmap_changes_update`;
DROP TRIGGER `bitmap_changes_delete`;
DROP TABLE `bitmap_changes`;
DROP TABLE `bitmaps`;
DROP TABLE `bitmap_terms`;
DROP TABLE `bitmap_blocks`;
DROP TABLE `bitmap_state`;
