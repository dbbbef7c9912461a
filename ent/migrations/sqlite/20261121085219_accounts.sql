-- +goose Up
-- create "api_tokens" table
CREATE TABLE `api_tokens` (`id` uuid NOT NULL, `name` text NOT NULL, `hash` text NOT NULL, `prefix` text NOT NULL, `scopes` json NOT NULL, `created_at` datetime NOT NULL, `expires_at` datetime NULL, `last_used_at` datetime NULL, `revoked_at` datetime NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `api_tokens_users_api_tokens` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "api_tokens_hash_key" to table: "api_tokens"
CREATE UNIQUE INDEX `api_tokens_hash_key` ON `api_tokens` (`hash`);
-- create index "apitoken_user_id_created_at" to table: "api_tokens"
CREATE INDEX `apitoken_user_id_created_at` ON `api_tokens` (`user_id`, `created_at`);
-- create "audit_events" table
CREATE TABLE `audit_events` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `at` datetime NOT NULL, `actor_id` uuid NULL, `actor_name` text NOT NULL DEFAULT (''), `token_id` text NOT NULL DEFAULT (''), `action` text NOT NULL, `target` text NOT NULL DEFAULT (''), `before` json NULL, `after` json NULL, `address` text NOT NULL DEFAULT (''), `request_id` text NOT NULL DEFAULT (''), `prunes_before` integer NULL);
-- create index "auditevent_at" to table: "audit_events"
CREATE INDEX `auditevent_at` ON `audit_events` (`at`);
-- create index "auditevent_actor_id_id" to table: "audit_events"
CREATE INDEX `auditevent_actor_id_id` ON `audit_events` (`actor_id`, `id`);
-- create index "auditevent_action_id" to table: "audit_events"
CREATE INDEX `auditevent_action_id` ON `audit_events` (`action`, `id`);
-- create index "auditevent_target_id" to table: "audit_events"
CREATE INDEX `auditevent_target_id` ON `audit_events` (`target`, `id`);
-- create index "auditevent_prunes_before" to table: "audit_events"
CREATE INDEX `auditevent_prunes_before` ON `audit_events` (`prunes_before`);
-- create "storage_settings" table
CREATE TABLE `storage_settings` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `kind` text NOT NULL, `folder` text NOT NULL DEFAULT (''), `bucket` text NOT NULL DEFAULT (''), `prefix` text NOT NULL DEFAULT (''), `region` text NOT NULL DEFAULT (''), `endpoint` text NOT NULL DEFAULT (''), `path_style` bool NOT NULL DEFAULT (false), `access_key_id` text NOT NULL DEFAULT (''), `secret_access_key` text NOT NULL DEFAULT (''), `session_token` text NOT NULL DEFAULT (''), `applied_at` datetime NULL, `updated_at` datetime NOT NULL);

-- +goose Down
-- reverse: create "storage_settings" table
DROP TABLE `storage_settings`;
-- reverse: create index "auditevent_prunes_before" to table: "audit_events"
DROP INDEX `auditevent_prunes_before`;
-- reverse: create index "auditevent_target_id" to table: "audit_events"
DROP INDEX `auditevent_target_id`;
-- reverse: create index "auditevent_action_id" to table: "audit_events"
DROP INDEX `auditevent_action_id`;
-- reverse: create index "auditevent_actor_id_id" to table: "audit_events"
DROP INDEX `auditevent_actor_id_id`;
-- reverse: create index "auditevent_at" to table: "audit_events"
DROP INDEX `auditevent_at`;
-- reverse: create "audit_events" table
DROP TABLE `audit_events`;
-- reverse: create index "apitoken_user_id_created_at" to table: "api_tokens"
DROP INDEX `apitoken_user_id_created_at`;
-- reverse: create index "api_tokens_hash_key" to table: "api_tokens"
DROP INDEX `api_tokens_hash_key`;
-- reverse: create "api_tokens" table
DROP TABLE `api_tokens`;
