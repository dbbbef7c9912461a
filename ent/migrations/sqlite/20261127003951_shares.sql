-- +goose Up
-- create "shares" table
CREATE TABLE `shares` (`id` uuid NOT NULL, `key_hash` text NOT NULL, `sealed_key` text NOT NULL, `name` text NOT NULL, `kind` text NOT NULL, `password_hash` text NOT NULL DEFAULT (''), `expires_at` datetime NULL, `downloads` text NOT NULL DEFAULT ('none'), `upload_quota` integer NOT NULL DEFAULT (0), `uploaded` integer NOT NULL DEFAULT (0), `watermark` text NOT NULL DEFAULT (''), `visits` integer NOT NULL DEFAULT (0), `last_visit_at` datetime NULL, `created_at` datetime NOT NULL, `owner_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `shares_users_shares` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "shares_key_hash_key" to table: "shares"
CREATE UNIQUE INDEX `shares_key_hash_key` ON `shares` (`key_hash`);
-- create index "share_owner_id_created_at" to table: "shares"
CREATE INDEX `share_owner_id_created_at` ON `shares` (`owner_id`, `created_at`);
-- create "share_days" table
CREATE TABLE `share_days` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `day` text NOT NULL, `visits` integer NOT NULL DEFAULT (0), `share_id` uuid NOT NULL, CONSTRAINT `share_days_shares_days` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE);
-- create index "shareday_share_id_day" to table: "share_days"
CREATE UNIQUE INDEX `shareday_share_id_day` ON `share_days` (`share_id`, `day`);
-- create "share_items" table
CREATE TABLE `share_items` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `path` text NOT NULL, `position` integer NOT NULL, `share_id` uuid NOT NULL, CONSTRAINT `share_items_shares_items` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE);
-- create index "shareitem_path" to table: "share_items"
CREATE INDEX `shareitem_path` ON `share_items` (`path`);
-- create index "shareitem_share_id_position" to table: "share_items"
CREATE UNIQUE INDEX `shareitem_share_id_position` ON `share_items` (`share_id`, `position`);
