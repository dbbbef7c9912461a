-- +goose Up
CREATE TABLE `archives` (`id` text NOT NULL, `account_id` uuid NOT NULL, `guest` bool NOT NULL DEFAULT (false), `name` text NOT NULL, `paths` json NOT NULL, `created_at` datetime NOT NULL, `expires_at` datetime NOT NULL, PRIMARY KEY (`id`));
CREATE INDEX `archive_expires_at` ON `archives` (`expires_at`);
CREATE INDEX `archive_account_id_created_at` ON `archives` (`account_id`, `created_at`);
CREATE TABLE `saved_searches` (`id` uuid NOT NULL, `user_id` uuid NOT NULL, `name` text NOT NULL, `name_key` text NOT NULL, `folder` text NOT NULL DEFAULT (''), `recursive` bool NOT NULL DEFAULT (true), `search` text NOT NULL DEFAULT (''), `filter` text NOT NULL DEFAULT (''), `sort` text NOT NULL DEFAULT ('NAME'), `descending` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
CREATE UNIQUE INDEX `savedsearch_user_id_name_key` ON `saved_searches` (`user_id`, `name_key`);

-- +goose Down
DROP TABLE `saved_searches`;
DROP TABLE `archives`;
