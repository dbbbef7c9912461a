-- +goose Up
-- The colors and the lens of pictures that are in the index are filled in by a new analysis in the background.
ALTER TABLE `entries` ADD COLUMN `lens` text NOT NULL DEFAULT ('');
ALTER TABLE `entries` ADD COLUMN `colors` text NOT NULL DEFAULT ('');
DROP INDEX `entry_ok_l_ok_a_ok_b`;
CREATE INDEX `entry_camera` ON `entries` (`camera`, `hidden`) WHERE camera <> '';
CREATE INDEX `entry_lens` ON `entries` (`lens`, `hidden`) WHERE lens <> '';
-- The pictures to be analyzed again: nearly always none.
CREATE INDEX `entry_without_colors` ON `entries` (`modified`) WHERE meta_state = 1 AND colors = '';
-- The words of folders, which are few beside files: a search reads all of them.
CREATE INDEX `entry_folder_words` ON `entries` (`words`) WHERE kind = 0;

-- The index of colors. Triggers keep it, as that of words.
CREATE VIRTUAL TABLE `entry_colors` USING fts4(content="entries", colors, tokenize=simple);
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_insert` AFTER INSERT ON `entries` WHEN new.colors <> '' BEGIN
  INSERT INTO `entry_colors`(docid, colors) VALUES (new.id, new.colors);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_before` BEFORE UPDATE OF colors ON `entries` WHEN old.colors <> '' BEGIN
  DELETE FROM `entry_colors` WHERE docid = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_after` AFTER UPDATE OF colors ON `entries` WHEN new.colors <> '' BEGIN
  INSERT INTO `entry_colors`(docid, colors) VALUES (new.id, new.colors);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_delete` BEFORE DELETE ON `entries` WHEN old.colors <> '' BEGIN
  DELETE FROM `entry_colors` WHERE docid = old.id;
END;
-- +goose StatementEnd

-- Files that end before their picture does.
ALTER TABLE `entries` ADD COLUMN `truncated` bool NOT NULL DEFAULT (false);
CREATE INDEX `entry_truncated` ON `entries` (`truncated`) WHERE truncated;
