-- +goose Up
-- create "processor_settings" table
CREATE TABLE `processor_settings` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `secret` text NOT NULL, `previous_secret` text NOT NULL DEFAULT (''), `signer_type` text NOT NULL DEFAULT ('SHA1'), `signer_truncate` integer NOT NULL DEFAULT (0), `previous_signer_type` text NOT NULL DEFAULT ('SHA1'), `previous_signer_truncate` integer NOT NULL DEFAULT (0), `previous_until` datetime NULL, `updated_at` datetime NOT NULL);
-- create "revoked_tokens" table
CREATE TABLE `revoked_tokens` (`id` text NOT NULL, `expires_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- create index "revokedtoken_expires_at" to table: "revoked_tokens"
CREATE INDEX `revokedtoken_expires_at` ON `revoked_tokens` (`expires_at`);
-- create "users" table
CREATE TABLE `users` (`id` uuid NOT NULL, `display_name` text NOT NULL, `username` text NOT NULL, `username_key` text NOT NULL, `password_hash` text NOT NULL, `role` text NOT NULL DEFAULT ('user'), `is_active` bool NOT NULL DEFAULT (true), `token_version` integer NOT NULL DEFAULT (1), `created_at` datetime NOT NULL, `updated_at` datetime NOT NULL, `last_login_at` datetime NULL, PRIMARY KEY (`id`));
-- create index "users_username_key_key" to table: "users"
CREATE UNIQUE INDEX `users_username_key_key` ON `users` (`username_key`);
-- create index "user_role_is_active" to table: "users"
CREATE INDEX `user_role_is_active` ON `users` (`role`, `is_active`);
-- create index "user_created_at_id" to table: "users"
CREATE INDEX `user_created_at_id` ON `users` (`created_at`, `id`);

-- +goose Down
-- reverse: create index "user_created_at_id" to table: "users"
DROP INDEX `user_created_at_id`;
-- reverse: create index "user_role_is_active" to table: "users"
DROP INDEX `user_role_is_active`;
-- reverse: create index "users_username_key_key" to table: "users"
DROP INDEX `users_username_key_key`;
-- reverse: create "users" table
DROP TABLE `users`;
-- reverse: create index "revokedtoken_expires_at" to table: "revoked_tokens"
DROP INDEX `revokedtoken_expires_at`;
-- reverse: create "revoked_tokens" table
DROP TABLE `revoked_tokens`;
-- reverse: create "processor_settings" table
DROP TABLE `processor_settings`;
