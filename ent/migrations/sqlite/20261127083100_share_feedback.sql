-- +goose Up
-- modify "shares" table
ALTER TABLE `shares` ADD COLUMN `allow_feedback` bool NOT NULL DEFAULT (false);
ALTER TABLE `shares` ADD COLUMN `feedback_seen_at` datetime NULL;
-- create "share_reviewers" table
CREATE TABLE `share_reviewers` (`id` uuid NOT NULL, `name` text NOT NULL, `token_hash` text NOT NULL, `created_at` datetime NOT NULL, `share_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `share_reviewers_shares_reviewers` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE);
-- create index "sharereviewer_share_id_token_hash" to table: "share_reviewers"
CREATE UNIQUE INDEX `sharereviewer_share_id_token_hash` ON `share_reviewers` (`share_id`, `token_hash`);
-- create "share_comments" table
CREATE TABLE `share_comments` (`id` uuid NOT NULL, `share_id` uuid NOT NULL, `entry_id` integer NOT NULL, `text` text NOT NULL, `x` real NULL, `y` real NULL, `is_hidden` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `reviewer_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `share_comments_share_reviewers_comments` FOREIGN KEY (`reviewer_id`) REFERENCES `share_reviewers` (`id`) ON DELETE CASCADE);
-- create index "sharecomment_share_id_created_at_id" to table: "share_comments"
CREATE INDEX `sharecomment_share_id_created_at_id` ON `share_comments` (`share_id`, `created_at`, `id`);
-- create index "sharecomment_share_id_entry_id" to table: "share_comments"
CREATE INDEX `sharecomment_share_id_entry_id` ON `share_comments` (`share_id`, `entry_id`);
-- create index "sharecomment_reviewer_id" to table: "share_comments"
CREATE INDEX `sharecomment_reviewer_id` ON `share_comments` (`reviewer_id`);
-- create index "sharecomment_entry_id" to table: "share_comments"
CREATE INDEX `sharecomment_entry_id` ON `share_comments` (`entry_id`);
-- create "share_picks" table
CREATE TABLE `share_picks` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `share_id` uuid NOT NULL, `entry_id` integer NOT NULL, `choice` text NOT NULL DEFAULT ('none'), `rating` integer NOT NULL DEFAULT (0), `updated_at` datetime NOT NULL, `reviewer_id` uuid NOT NULL, CONSTRAINT `share_picks_share_reviewers_picks` FOREIGN KEY (`reviewer_id`) REFERENCES `share_reviewers` (`id`) ON DELETE CASCADE);
-- create index "sharepick_reviewer_id_entry_id" to table: "share_picks"
CREATE UNIQUE INDEX `sharepick_reviewer_id_entry_id` ON `share_picks` (`reviewer_id`, `entry_id`);
-- create index "sharepick_share_id_entry_id" to table: "share_picks"
CREATE INDEX `sharepick_share_id_entry_id` ON `share_picks` (`share_id`, `entry_id`);
-- create index "sharepick_share_id_updated_at" to table: "share_picks"
CREATE INDEX `sharepick_share_id_updated_at` ON `share_picks` (`share_id`, `updated_at`);
-- create index "sharepick_entry_id" to table: "share_picks"
CREATE INDEX `sharepick_entry_id` ON `share_picks` (`entry_id`);
-- feedback on a picture ends with the row of its file
-- +goose StatementBegin
CREATE TRIGGER `entry_feedback_delete` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `share_comments` WHERE entry_id = old.id;
  DELETE FROM `share_picks` WHERE entry_id = old.id;
END;
-- +goose StatementEnd
