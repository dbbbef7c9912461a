-- +goose Up
-- written by hand: ent knows neither triggers nor views. A later migration that copies the table entries must make the triggers again.
-- The counts of a folder know the type too; see 20261122213000_counts.sql.
DROP TRIGGER `entry_counts_update`;
DROP TRIGGER `entry_counts_delete`;
DROP TRIGGER `entry_counts_insert`;
DROP VIEW `entry_counts_now`;
DROP TABLE `entry_counts`;
CREATE TABLE `entry_counts` (`parent_id` integer NOT NULL, `kind` integer NOT NULL, `hidden` bool NOT NULL, `class` integer NOT NULL, `type` text NOT NULL, `n` integer NOT NULL, PRIMARY KEY (`parent_id`, `kind`, `hidden`, `class`, `type`)) WITHOUT ROWID;
CREATE VIEW `entry_counts_now` AS SELECT `parent_id`, `kind`, `hidden`, CASE WHEN substr(`name`, 1, 1) = '.' THEN 3 WHEN substr(`name`, -22) = '.template.preview.webp' THEN 2 WHEN `meta_state` = 3 AND lower(substr(`name`, -14)) = '.template.json' THEN 1 ELSE 0 END AS `class`, `type`, count(*) AS `n` FROM `entries` GROUP BY 1, 2, 3, 4, 5;
INSERT INTO `entry_counts` SELECT * FROM `entry_counts_now`;
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_insert` AFTER INSERT ON `entries` BEGIN
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, CASE WHEN substr(new.name, 1, 1) = '.' THEN 3 WHEN substr(new.name, -22) = '.template.preview.webp' THEN 2 WHEN new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json' THEN 1 ELSE 0 END, new.type, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_delete` AFTER DELETE ON `entries` BEGIN
  UPDATE `entry_counts` SET n = n - 1 WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = CASE WHEN substr(old.name, 1, 1) = '.' THEN 3 WHEN substr(old.name, -22) = '.template.preview.webp' THEN 2 WHEN old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json' THEN 1 ELSE 0 END AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_update` AFTER UPDATE OF parent_id, kind, hidden, name, meta_state, type ON `entries` WHEN old.parent_id <> new.parent_id OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.name <> new.name OR old.type <> new.type OR (old.meta_state = 3) <> (new.meta_state = 3) BEGIN
  UPDATE `entry_counts` SET n = n - 1 WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = CASE WHEN substr(old.name, 1, 1) = '.' THEN 3 WHEN substr(old.name, -22) = '.template.preview.webp' THEN 2 WHEN old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json' THEN 1 ELSE 0 END AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, CASE WHEN substr(new.name, 1, 1) = '.' THEN 3 WHEN substr(new.name, -22) = '.template.preview.webp' THEN 2 WHEN new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json' THEN 1 ELSE 0 END, new.type, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- How many visible files have a word that a search asked for and that very many have: counting them reads them all. template is 1 for saved
-- templates. A word has both rows from the moment on that it is counted.
CREATE TABLE `counted_words` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `word` text NOT NULL UNIQUE, `learned_at` integer NOT NULL DEFAULT (unixepoch()));
CREATE TABLE `word_counts` (`word_id` integer NOT NULL, `template` bool NOT NULL, `n` integer NOT NULL, PRIMARY KEY (`word_id`, `template`)) WITHOUT ROWID;
CREATE VIEW `word_counts_now` AS SELECT w.`id` AS `word_id`, (e.`meta_state` = 3 AND lower(substr(e.`name`, -14)) = '.template.json') AS `template`, count(*) AS `n` FROM `counted_words` w JOIN `entries` e ON e.`kind` = 1 AND NOT e.`hidden` AND instr(' ' || e.`words`, ' ' || w.`word`) > 0 GROUP BY 1, 2;
-- +goose StatementBegin
CREATE TRIGGER `word_counts_insert` AFTER INSERT ON `entries` WHEN new.kind = 1 AND NOT new.hidden BEGIN
  UPDATE `word_counts` SET n = n + 1 WHERE template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || word) > 0);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_delete` AFTER DELETE ON `entries` WHEN old.kind = 1 AND NOT old.hidden BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || word) > 0);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_update` AFTER UPDATE OF words, kind, hidden, name, meta_state ON `entries` WHEN old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3) BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE old.kind = 1 AND NOT old.hidden AND template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || word) > 0);
  UPDATE `word_counts` SET n = n + 1 WHERE new.kind = 1 AND NOT new.hidden AND template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || word) > 0);
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `word_counts_update`;
DROP TRIGGER `word_counts_delete`;
DROP TRIGGER `word_counts_insert`;
DROP VIEW `word_counts_now`;
DROP TABLE `word_counts`;
DROP TABLE `counted_words`;
DROP TRIGGER `entry_counts_update`;
DROP TRIGGER `entry_counts_delete`;
DROP TRIGGER `entry_counts_insert`;
DROP VIEW `entry_counts_now`;
DROP TABLE `entry_counts`;
CREATE TABLE `entry_counts` (`parent_id` integer NOT NULL, `kind` integer NOT NULL, `hidden` bool NOT NULL, `class` integer NOT NULL, `n` integer NOT NULL, PRIMARY KEY (`parent_id`, `kind`, `hidden`, `class`)) WITHOUT ROWID;
CREATE VIEW `entry_counts_now` AS SELECT `parent_id`, `kind`, `hidden`, CASE WHEN substr(`name`, 1, 1) = '.' THEN 3 WHEN substr(`name`, -22) = '.template.preview.webp' THEN 2 WHEN `meta_state` = 3 AND lower(substr(`name`, -14)) = '.template.json' THEN 1 ELSE 0 END AS `class`, count(*) AS `n` FROM `entries` GROUP BY 1, 2, 3, 4;
INSERT INTO `entry_counts` SELECT * FROM `entry_counts_now`;
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_insert` AFTER INSERT ON `entries` BEGIN
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, CASE WHEN substr(new.name, 1, 1) = '.' THEN 3 WHEN substr(new.name, -22) = '.template.preview.webp' THEN 2 WHEN new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json' THEN 1 ELSE 0 END, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_delete` AFTER DELETE ON `entries` BEGIN
  UPDATE `entry_counts` SET n = n - 1 WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = CASE WHEN substr(old.name, 1, 1) = '.' THEN 3 WHEN substr(old.name, -22) = '.template.preview.webp' THEN 2 WHEN old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json' THEN 1 ELSE 0 END;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_update` AFTER UPDATE OF parent_id, kind, hidden, name, meta_state ON `entries` WHEN old.parent_id <> new.parent_id OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3) BEGIN
  UPDATE `entry_counts` SET n = n - 1 WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = CASE WHEN substr(old.name, 1, 1) = '.' THEN 3 WHEN substr(old.name, -22) = '.template.preview.webp' THEN 2 WHEN old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json' THEN 1 ELSE 0 END;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, CASE WHEN substr(new.name, 1, 1) = '.' THEN 3 WHEN substr(new.name, -22) = '.template.preview.webp' THEN 2 WHEN new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json' THEN 1 ELSE 0 END, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
