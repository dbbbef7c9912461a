-- +goose Up
-- create "grants" table
CREATE TABLE `grants` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `path` text NOT NULL, `grantee` text NOT NULL, `level` integer NOT NULL, `group_id` uuid NULL, `user_id` uuid NULL, CONSTRAINT `grants_groups_grants` FOREIGN KEY (`group_id`) REFERENCES `groups` (`id`) ON DELETE CASCADE, CONSTRAINT `grants_users_grants` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "grant_path" to table: "grants"
CREATE INDEX `grant_path` ON `grants` (`path`);
-- create index "grant_user_id" to table: "grants"
CREATE INDEX `grant_user_id` ON `grants` (`user_id`);
-- create index "grant_group_id" to table: "grants"
CREATE INDEX `grant_group_id` ON `grants` (`group_id`);
-- create "groups" table
CREATE TABLE `groups` (`id` uuid NOT NULL, `name` text NOT NULL, `name_key` text NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- create index "groups_name_key_key" to table: "groups"
CREATE UNIQUE INDEX `groups_name_key_key` ON `groups` (`name_key`);
-- create "memberships" table
CREATE TABLE `memberships` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `group_id` uuid NOT NULL, `user_id` uuid NOT NULL, CONSTRAINT `memberships_groups_memberships` FOREIGN KEY (`group_id`) REFERENCES `groups` (`id`) ON DELETE CASCADE, CONSTRAINT `memberships_users_memberships` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "membership_user_id_group_id" to table: "memberships"
CREATE UNIQUE INDEX `membership_user_id_group_id` ON `memberships` (`user_id`, `group_id`);
-- create index "membership_group_id" to table: "memberships"
CREATE INDEX `membership_group_id` ON `memberships` (`group_id`);
-- what everybody may do so far
INSERT INTO grants (path, grantee, level) VALUES ('', 'everyone', 2), ('', 'guests', 1);
