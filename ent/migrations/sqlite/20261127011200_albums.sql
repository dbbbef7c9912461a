-- +goose Up
-- create "albums" table
CREATE TABLE `albums` (`id` uuid NOT NULL, `title` text NOT NULL, `title_key` text NOT NULL, `description` text NOT NULL DEFAULT (''), `visibility` text NOT NULL DEFAULT ('private'), `sort` text NOT NULL DEFAULT ('MANUAL'), `descending` bool NOT NULL DEFAULT (false), `cover_id` integer NULL, `smart` bool NOT NULL DEFAULT (false), `folder` text NOT NULL DEFAULT (''), `recursive` bool NOT NULL DEFAULT (true), `search` text NOT NULL DEFAULT (''), `filter` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `updated_at` datetime NOT NULL, `user_id` uuid NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `albums_users_albums` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- create index "album_title_key_id" to table: "albums"
CREATE INDEX `album_title_key_id` ON `albums` (`title_key`, `id`);
-- create index "album_user_id" to table: "albums"
CREATE INDEX `album_user_id` ON `albums` (`user_id`);
-- create "album_items" table
CREATE TABLE `album_items` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `entry_id` integer NOT NULL, `position` integer NOT NULL, `album_id` uuid NOT NULL, CONSTRAINT `album_items_albums_items` FOREIGN KEY (`album_id`) REFERENCES `albums` (`id`) ON DELETE CASCADE);
-- create index "albumitem_album_id_entry_id" to table: "album_items"
CREATE UNIQUE INDEX `albumitem_album_id_entry_id` ON `album_items` (`album_id`, `entry_id`);
-- create index "albumitem_album_id_position" to table: "album_items"
CREATE INDEX `albumitem_album_id_position` ON `album_items` (`album_id`, `position`);
-- create index "albumitem_entry_id" to table: "album_items"
CREATE INDEX `albumitem_entry_id` ON `album_items` (`entry_id`);
-- an item of an album ends with the row of its file
-- +goose StatementBegin
CREATE TRIGGER `entry_album_items_delete` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `album_items` WHERE entry_id = old.id;
END;
-- +goose StatementEnd
