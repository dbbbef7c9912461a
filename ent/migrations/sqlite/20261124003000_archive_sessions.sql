-- +goose Up
ALTER TABLE `archives` ADD COLUMN `token_id` text NOT NULL DEFAULT ('');
ALTER TABLE `archives` ADD COLUMN `token_version` integer NOT NULL DEFAULT (0);
ALTER TABLE `archives` ADD COLUMN `api_token` bool NOT NULL DEFAULT (false);

-- +goose Down
ALTER TABLE `archives` DROP COLUMN `api_token`;
ALTER TABLE `archives` DROP COLUMN `token_version`;
ALTER TABLE `archives` DROP COLUMN `token_id`;
