-- +goose Up
-- create "entries" table
CREATE TABLE `entries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `path` text NOT NULL, `parent_id` integer NOT NULL DEFAULT (0), `name` text NOT NULL, `name_key` blob NOT NULL, `kind` integer NOT NULL, `hidden` bool NOT NULL DEFAULT (false), `size` integer NOT NULL DEFAULT (0), `modified` integer NOT NULL DEFAULT (0), `etag` text NOT NULL DEFAULT (''), `type` text NOT NULL DEFAULT (''), `words` text NOT NULL DEFAULT (''), `version` text NOT NULL DEFAULT (''), `synced` integer NOT NULL DEFAULT (0), `trashed_at` datetime NULL, `meta_state` integer NOT NULL DEFAULT (0), `meta_tries` integer NOT NULL DEFAULT (0), `width` integer NOT NULL DEFAULT (0), `height` integer NOT NULL DEFAULT (0), `pixels` integer NOT NULL DEFAULT (0), `pages` integer NOT NULL DEFAULT (0), `orientation` integer NOT NULL DEFAULT (0), `taken` integer NULL, `taken_key` integer NOT NULL DEFAULT (0), `camera` text NOT NULL DEFAULT (''), `has_gps` bool NOT NULL DEFAULT (false), `exif` text NOT NULL DEFAULT (''), `dominant` integer NULL, `ok_l` real NULL, `ok_a` real NULL, `ok_b` real NULL, `blurhash` text NOT NULL DEFAULT (''), `thumbhash` text NOT NULL DEFAULT (''), `phash` integer NULL, `has_notes` bool NOT NULL DEFAULT (false), `tags` json NULL, `description` text NOT NULL DEFAULT (''), `focal_x` real NULL, `focal_y` real NULL);
-- create index "entries_path_key" to table: "entries"
CREATE UNIQUE INDEX `entries_path_key` ON `entries` (`path`);
-- create index "entry_parent_id_kind_name_key" to table: "entries"
CREATE INDEX `entry_parent_id_kind_name_key` ON `entries` (`parent_id`, `kind`, `name_key`);
-- create index "entry_kind_hidden_name_key_id" to table: "entries"
CREATE INDEX `entry_kind_hidden_name_key_id` ON `entries` (`kind`, `hidden`, `name_key`, `id`);
-- create index "entry_meta_state_modified" to table: "entries"
CREATE INDEX `entry_meta_state_modified` ON `entries` (`meta_state`, `modified`);
-- create index "entry_phash" to table: "entries"
CREATE INDEX `entry_phash` ON `entries` (`phash`);
-- create index "entry_parent_id_kind_size_name_key" to table: "entries"
CREATE INDEX `entry_parent_id_kind_size_name_key` ON `entries` (`parent_id`, `kind`, `size`, `name_key`);
-- create index "entry_kind_hidden_size_id" to table: "entries"
CREATE INDEX `entry_kind_hidden_size_id` ON `entries` (`kind`, `hidden`, `size`, `id`);
-- create index "entry_parent_id_kind_modified_name_key" to table: "entries"
CREATE INDEX `entry_parent_id_kind_modified_name_key` ON `entries` (`parent_id`, `kind`, `modified`, `name_key`);
-- create index "entry_kind_hidden_modified_id" to table: "entries"
CREATE INDEX `entry_kind_hidden_modified_id` ON `entries` (`kind`, `hidden`, `modified`, `id`);
-- create index "entry_parent_id_kind_taken_key_name_key" to table: "entries"
CREATE INDEX `entry_parent_id_kind_taken_key_name_key` ON `entries` (`parent_id`, `kind`, `taken_key`, `name_key`);
-- create index "entry_kind_hidden_taken_key_id" to table: "entries"
CREATE INDEX `entry_kind_hidden_taken_key_id` ON `entries` (`kind`, `hidden`, `taken_key`, `id`);
-- create index "entry_parent_id_kind_pixels_name_key" to table: "entries"
CREATE INDEX `entry_parent_id_kind_pixels_name_key` ON `entries` (`parent_id`, `kind`, `pixels`, `name_key`);
-- create index "entry_kind_hidden_pixels_id" to table: "entries"
CREATE INDEX `entry_kind_hidden_pixels_id` ON `entries` (`kind`, `hidden`, `pixels`, `id`);
-- create "intents" table
CREATE TABLE `intents` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` text NOT NULL, `change` text NOT NULL, `source` text NOT NULL DEFAULT (''), `target` text NOT NULL DEFAULT (''), `seen` integer NOT NULL);
-- create index "intent_owner" to table: "intents"
CREATE INDEX `intent_owner` ON `intents` (`owner`);
-- create index "intent_seen" to table: "intents"
CREATE INDEX `intent_seen` ON `intents` (`seen`);
-- create "taggings" table
CREATE TABLE `taggings` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `entry_id` integer NOT NULL, `key` text NOT NULL, `name` text NOT NULL);
-- create index "tagging_key_entry_id" to table: "taggings"
CREATE UNIQUE INDEX `tagging_key_entry_id` ON `taggings` (`key`, `entry_id`);
-- create index "tagging_entry_id" to table: "taggings"
CREATE INDEX `tagging_entry_id` ON `taggings` (`entry_id`);

-- +goose Down
-- reverse: create index "tagging_entry_id" to table: "taggings"
DROP INDEX `tagging_entry_id`;
-- reverse: create index "tagging_key_entry_id" to table: "taggings"
DROP INDEX `tagging_key_entry_id`;
-- reverse: create "taggings" table
DROP TABLE `taggings`;
-- reverse: create index "intent_seen" to table: "intents"
DROP INDEX `intent_seen`;
-- reverse: create index "intent_owner" to table: "intents"
DROP INDEX `intent_owner`;
-- reverse: create "intents" table
DROP TABLE `intents`;
-- reverse: create index "entry_kind_hidden_pixels_id" to table: "entries"
DROP INDEX `entry_kind_hidden_pixels_id`;
-- reverse: create index "entry_parent_id_kind_pixels_name_key" to table: "entries"
DROP INDEX `entry_parent_id_kind_pixels_name_key`;
-- reverse: create index "entry_kind_hidden_taken_key_id" to table: "entries"
DROP INDEX `entry_kind_hidden_taken_key_id`;
-- reverse: create index "entry_parent_id_kind_taken_key_name_key" to table: "entries"
DROP INDEX `entry_parent_id_kind_taken_key_name_key`;
-- reverse: create index "entry_kind_hidden_modified_id" to table: "entries"
DROP INDEX `entry_kind_hidden_modified_id`;
-- reverse: create index "entry_parent_id_kind_modified_name_key" to table: "entries"
DROP INDEX `entry_parent_id_kind_modified_name_key`;
-- reverse: create index "entry_kind_hidden_size_id" to table: "entries"
DROP INDEX `entry_kind_hidden_size_id`;
-- reverse: create index "entry_parent_id_kind_size_name_key" to table: "entries"
DROP INDEX `entry_parent_id_kind_size_name_key`;
-- reverse: create index "entry_phash" to table: "entries"
DROP INDEX `entry_phash`;
-- reverse: create index "entry_meta_state_modified" to table: "entries"
DROP INDEX `entry_meta_state_modified`;
-- reverse: create index "entry_kind_hidden_name_key_id" to table: "entries"
DROP INDEX `entry_kind_hidden_name_key_id`;
-- reverse: create index "entry_parent_id_kind_name_key" to table: "entries"
DROP INDEX `entry_parent_id_kind_name_key`;
-- reverse: create index "entries_path_key" to table: "entries"
DROP INDEX `entries_path_key`;
-- reverse: create "entries" table
DROP TABLE `entries`;
