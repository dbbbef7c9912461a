-- +goose Up
-- Written by hand: ent knows neither triggers, views nor generated columns. A later migration that copies the table
-- entries must make its triggers again.

-- Databases of before 25 November 2026 counted searches by triggers and by bitmaps.
DROP TRIGGER IF EXISTS `bitmap_changes_retag`;
DROP TRIGGER IF EXISTS `bitmap_changes_untag`;
DROP TRIGGER IF EXISTS `bitmap_changes_tag`;
DROP TRIGGER IF EXISTS `bitmap_changes_update`;
DROP TRIGGER IF EXISTS `bitmap_changes_delete`;
DROP TABLE IF EXISTS `bitmap_changes`;
DROP TABLE IF EXISTS `bitmaps`;
DROP TABLE IF EXISTS `bitmap_terms`;
DROP TABLE IF EXISTS `bitmap_blocks`;
DROP TABLE IF EXISTS `bitmap_state`;
DROP TRIGGER IF EXISTS `word_counts_update`;
DROP TRIGGER IF EXISTS `word_counts_delete`;
DROP TRIGGER IF EXISTS `word_counts_insert`;
DROP VIEW IF EXISTS `word_counts_now`;
DROP TABLE IF EXISTS `word_counts`;
DROP TABLE IF EXISTS `counted_words`;
DROP TRIGGER IF EXISTS `entry_counts_update`;
DROP TRIGGER IF EXISTS `entry_counts_delete`;
DROP TRIGGER IF EXISTS `entry_counts_insert`;
DROP VIEW IF EXISTS `entry_counts_now`;
DROP TABLE IF EXISTS `entry_counts`;

-- What a name says: 3 it starts with a dot, 2 the preview of a template, 1 a template, 0 anything else. gallery/search
-- has the same rules in Go.
ALTER TABLE `entries` ADD COLUMN `class` integer GENERATED ALWAYS AS (CASE
  WHEN substr(`name`, 1, 1) = '.' THEN 3
  WHEN substr(`name`, -22) = '.template.preview.webp' THEN 2
  WHEN `meta_state` = 3 AND lower(substr(`name`, -14)) = '.template.json' THEN 1
  ELSE 0 END) VIRTUAL;

-- How many entries each folder holds directly, by what lists select: counting a million rows takes longer than a page of them.
CREATE TABLE `entry_counts` (
  `parent_id` integer NOT NULL,
  `kind` integer NOT NULL,
  `hidden` bool NOT NULL,
  `class` integer NOT NULL,
  `type` text NOT NULL,
  `n` integer NOT NULL,
  PRIMARY KEY (`parent_id`, `kind`, `hidden`, `class`, `type`)
) WITHOUT ROWID;
CREATE VIEW `entry_counts_now` AS
  SELECT `parent_id`, `kind`, `hidden`, `class`, `type`, count(*) AS `n` FROM `entries` GROUP BY 1, 2, 3, 4, 5;
INSERT INTO `entry_counts` SELECT * FROM `entry_counts_now`;
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_insert` AFTER INSERT ON `entries` BEGIN
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, new.class, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_delete` AFTER DELETE ON `entries` BEGIN
  UPDATE `entry_counts` SET n = n - 1
    WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = old.class AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_update` AFTER UPDATE OF parent_id, kind, hidden, name, meta_state, type ON `entries`
WHEN old.parent_id <> new.parent_id OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.class <> new.class OR old.type <> new.type BEGIN
  UPDATE `entry_counts` SET n = n - 1
    WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = old.class AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, new.class, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
