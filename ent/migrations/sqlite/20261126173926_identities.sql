-- +goose Up
-- modify "sessions" table
ALTER TABLE `sessions` ADD COLUMN `provider` text NOT NULL DEFAULT ('');
ALTER TABLE `sessions` ADD COLUMN `provider_session` text NOT NULL DEFAULT ('');
-- create index "session_provider_provider_session" to table: "sessions"
CREATE INDEX `session_provider_provider_session` ON `sessions` (`provider`, `provider_session`);
-- create "identities" table
CREATE TABLE `identities` (`id` uuid NOT NULL, `issuer` text NOT NULL, `subject` text NOT NULL, `created_at` datetime NOT NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `identities_users_identities` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "identity_issuer_subject" to table: "identities"
CREATE UNIQUE INDEX `identity_issuer_subject` ON `identities` (`issuer`, `subject`);
-- create index "identity_user_id_issuer" to table: "identities"
CREATE INDEX `identity_user_id_issuer` ON `identities` (`user_id`, `issuer`);
