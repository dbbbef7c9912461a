-- +goose Up
-- New columns of "users": to rebuild the table would delete what refers to it.
ALTER TABLE `users` ADD COLUMN `second_factor` bool NOT NULL DEFAULT (false);
ALTER TABLE `users` ADD COLUMN `totp_secret` text NOT NULL DEFAULT ('');
ALTER TABLE `users` ADD COLUMN `totp_step` integer NOT NULL DEFAULT (0);
ALTER TABLE `users` ADD COLUMN `totp_added_at` datetime NULL;
ALTER TABLE `users` ADD COLUMN `code_failures` integer NOT NULL DEFAULT (0);
ALTER TABLE `users` ADD COLUMN `code_failed_at` datetime NULL;
ALTER TABLE `users` ADD COLUMN `recovery_codes` json NULL;
-- add column "confirmed_at" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `confirmed_at` datetime NULL;
-- create "factor_policies" table
CREATE TABLE `factor_policies` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `admins` bool NOT NULL DEFAULT (false), `users` bool NOT NULL DEFAULT (false), `providers` bool NOT NULL DEFAULT (false), `updated_at` datetime NOT NULL);
-- create "passkeys" table
CREATE TABLE `passkeys` (`id` uuid NOT NULL, `name` text NOT NULL, `rp_id` text NOT NULL, `credential_id` text NOT NULL, `credential` text NOT NULL, `created_at` datetime NOT NULL, `last_used_at` datetime NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `passkeys_users_passkeys` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "passkeys_credential_id_key" to table: "passkeys"
CREATE UNIQUE INDEX `passkeys_credential_id_key` ON `passkeys` (`credential_id`);
-- create index "passkey_user_id_created_at" to table: "passkeys"
CREATE INDEX `passkey_user_id_created_at` ON `passkeys` (`user_id`, `created_at`);
