-- +goose Up
-- add column "email" to table: "users"
ALTER TABLE `users` ADD COLUMN `email` text NOT NULL DEFAULT ('');
-- add column "email_key" to table: "users"
ALTER TABLE `users` ADD COLUMN `email_key` text NULL;
-- create index "users_email_key_key" to table: "users"
CREATE UNIQUE INDEX `users_email_key_key` ON `users` (`email_key`);
-- create "mails" table
CREATE TABLE `mails` (`id` uuid NOT NULL, `kind` text NOT NULL, `recipient` text NOT NULL, `sender_id` uuid NULL, `network` text NOT NULL DEFAULT (''), `content` text NOT NULL, `state` text NOT NULL DEFAULT ('pending'), `attempts` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `next_at` datetime NOT NULL, `ends_at` datetime NOT NULL, `attempted_at` datetime NULL, `problem` text NOT NULL DEFAULT (''), `answer` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- create index "mail_state_next_at" to table: "mails"
CREATE INDEX `mail_state_next_at` ON `mails` (`state`, `next_at`);
-- create index "mail_created_at_id" to table: "mails"
CREATE INDEX `mail_created_at_id` ON `mails` (`created_at`, `id`);
-- create index "mail_recipient_created_at" to table: "mails"
CREATE INDEX `mail_recipient_created_at` ON `mails` (`recipient`, `created_at`);
-- create index "mail_sender_id_created_at" to table: "mails"
CREATE INDEX `mail_sender_id_created_at` ON `mails` (`sender_id`, `created_at`);
-- create index "mail_network_created_at" to table: "mails"
CREATE INDEX `mail_network_created_at` ON `mails` (`network`, `created_at`);
-- create "mail_tokens" table
CREATE TABLE `mail_tokens` (`id` text NOT NULL, `purpose` text NOT NULL, `address` text NOT NULL, `version` integer NOT NULL, `ends_at` datetime NOT NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `mail_tokens_users_mail_tokens` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "mailtoken_user_id" to table: "mail_tokens"
CREATE INDEX `mailtoken_user_id` ON `mail_tokens` (`user_id`);
-- create index "mailtoken_ends_at" to table: "mail_tokens"
CREATE INDEX `mailtoken_ends_at` ON `mail_tokens` (`ends_at`);
