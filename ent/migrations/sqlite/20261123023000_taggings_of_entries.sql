-- +goose Up
-- written by hand: ent knows no triggers. A later migration that copies the table entries must make the triggers again.
-- The tags of a file end with its row: totalCount of a tag counts them.
-- +goose StatementBegin
CREATE TRIGGER `entry_taggings_delete` AFTER DELETE ON `entries` BEGIN DELETE FROM `taggings` WHERE entry_id = old.id; END;
-- +goose StatementEnd
DELETE FROM `taggings` WHERE `entry_id` NOT IN (SELECT `id` FROM `entries`);

-- +goose Down
DROP TRIGGER `entry_taggings_delete`;
