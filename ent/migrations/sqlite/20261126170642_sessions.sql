-- +goose Up
-- create "sessions" table
CREATE TABLE `sessions` (`id` uuid NOT NULL, `version` integer NOT NULL, `user_agent` text NOT NULL DEFAULT (''), `address` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `last_used_at` datetime NOT NULL, `expires_at` datetime NOT NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sessions_users_sessions` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "session_user_id_last_used_at" to table: "sessions"
CREATE INDEX `session_user_id_last_used_at` ON `sessions` (`user_id`, `last_used_at`);
-- create index "session_expires_at" to table: "sessions"
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
-- The session of the account tells whether the archive may still be read.
ALTER TABLE `archives` DROP COLUMN `token_version`;
