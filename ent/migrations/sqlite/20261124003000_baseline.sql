-- +goose Up
-- The schema of 24 November 2026 without counts, which the next migration makes: a database that the 28 migrations before
-- have brought to this number continues from here. Tables and most indexes are those of ent/schema; the rest is written by
-- hand. A later migration that copies the table entries must make its triggers again.

CREATE TABLE `processor_settings` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `secret` text NOT NULL,
  `previous_secret` text NOT NULL DEFAULT (''),
  `signer_type` text NOT NULL DEFAULT ('SHA1'),
  `signer_truncate` integer NOT NULL DEFAULT (0),
  `previous_signer_type` text NOT NULL DEFAULT ('SHA1'),
  `previous_signer_truncate` integer NOT NULL DEFAULT (0),
  `previous_until` datetime NULL,
  `updated_at` datetime NOT NULL
);

CREATE TABLE `revoked_tokens` (
  `id` text NOT NULL,
  `expires_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
CREATE INDEX `revokedtoken_expires_at` ON `revoked_tokens` (`expires_at`);

CREATE TABLE `users` (
  `id` uuid NOT NULL,
  `display_name` text NOT NULL,
  `username` text NOT NULL,
  `username_key` text NOT NULL,
  `password_hash` text NOT NULL,
  `role` text NOT NULL DEFAULT ('user'),
  `is_active` bool NOT NULL DEFAULT (true),
  `token_version` integer NOT NULL DEFAULT (1),
  `created_at` datetime NOT NULL,
  `updated_at` datetime NOT NULL,
  `last_login_at` datetime NULL,
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `users_username_key_key` ON `users` (`username_key`);
CREATE INDEX `user_role_is_active` ON `users` (`role`, `is_active`);
CREATE INDEX `user_created_at_id` ON `users` (`created_at`, `id`);

CREATE TABLE `pending_parts` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `upload_id` text NOT NULL,
  `start` integer NOT NULL,
  `size` integer NOT NULL,
  `name` text NOT NULL
);
CREATE UNIQUE INDEX `pendingpart_upload_id_start` ON `pending_parts` (`upload_id`, `start`);

CREATE TABLE `pending_uploads` (
  `id` text NOT NULL,
  `path` text NOT NULL,
  `content_type` text NOT NULL,
  `size` integer NOT NULL,
  `received` integer NOT NULL DEFAULT (0),
  `on_conflict` text NOT NULL DEFAULT ('error'),
  `owner_id` uuid NOT NULL,
  `state` text NOT NULL DEFAULT ('open'),
  `target` text NOT NULL DEFAULT (''),
  `busy_until` datetime NULL,
  `created_at` datetime NOT NULL,
  `expires_at` datetime NOT NULL,
  `client_key` text NULL,
  PRIMARY KEY (`id`)
);
CREATE INDEX `pendingupload_expires_at` ON `pending_uploads` (`expires_at`);
CREATE INDEX `pendingupload_owner_id_path` ON `pending_uploads` (`owner_id`, `path`);
CREATE UNIQUE INDEX `pendingupload_owner_id_client_key` ON `pending_uploads` (`owner_id`, `client_key`);

CREATE TABLE `entries` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `path` text NOT NULL,
  `parent_id` integer NOT NULL DEFAULT (0),
  `name` text NOT NULL,
  `name_key` blob NOT NULL,
  `kind` integer NOT NULL,
  `hidden` bool NOT NULL DEFAULT (false),
  `size` integer NOT NULL DEFAULT (0),
  `modified` integer NOT NULL DEFAULT (0),
  `etag` text NOT NULL DEFAULT (''),
  `type` text NOT NULL DEFAULT (''),
  `words` text NOT NULL DEFAULT (''),
  `version` text NOT NULL DEFAULT (''),
  `synced` integer NOT NULL DEFAULT (0),
  `trashed_at` datetime NULL,
  `meta_state` integer NOT NULL DEFAULT (0),
  `meta_tries` integer NOT NULL DEFAULT (0),
  `width` integer NOT NULL DEFAULT (0),
  `height` integer NOT NULL DEFAULT (0),
  `pixels` integer NOT NULL DEFAULT (0),
  `pages` integer NOT NULL DEFAULT (0),
  `orientation` integer NOT NULL DEFAULT (0),
  `taken` integer NULL,
  `taken_key` integer NOT NULL DEFAULT (0),
  `camera` text NOT NULL DEFAULT (''),
  `has_gps` bool NOT NULL DEFAULT (false),
  `exif` text NOT NULL DEFAULT (''),
  `dominant` integer NULL,
  `ok_l` real NULL,
  `ok_a` real NULL,
  `ok_b` real NULL,
  `blurhash` text NOT NULL DEFAULT (''),
  `thumbhash` text NOT NULL DEFAULT (''),
  `phash` integer NULL,
  `has_notes` bool NOT NULL DEFAULT (false),
  `tags` json NULL,
  `description` text NOT NULL DEFAULT (''),
  `focal_x` real NULL,
  `focal_y` real NULL,
  `sha256` blob NULL,
  `owner_id` uuid NULL,
  `rating` integer NOT NULL DEFAULT (0),
  `favorite` bool NOT NULL DEFAULT (false)
);
CREATE UNIQUE INDEX `entries_path_key` ON `entries` (`path`);
CREATE INDEX `entry_parent_id_kind_name_key` ON `entries` (`parent_id`, `kind`, `name_key`);
CREATE INDEX `entry_kind_hidden_name_key_id` ON `entries` (`kind`, `hidden`, `name_key`, `id`);
CREATE INDEX `entry_meta_state_modified` ON `entries` (`meta_state`, `modified`);
CREATE INDEX `entry_parent_id_kind_size_name_key` ON `entries` (`parent_id`, `kind`, `size`, `name_key`);
CREATE INDEX `entry_kind_hidden_size_id` ON `entries` (`kind`, `hidden`, `size`, `id`);
CREATE INDEX `entry_parent_id_kind_modified_name_key` ON `entries` (`parent_id`, `kind`, `modified`, `name_key`);
CREATE INDEX `entry_kind_hidden_modified_id` ON `entries` (`kind`, `hidden`, `modified`, `id`);
CREATE INDEX `entry_parent_id_kind_taken_key_name_key` ON `entries` (`parent_id`, `kind`, `taken_key`, `name_key`);
CREATE INDEX `entry_kind_hidden_taken_key_id` ON `entries` (`kind`, `hidden`, `taken_key`, `id`);
CREATE INDEX `entry_parent_id_kind_pixels_name_key` ON `entries` (`parent_id`, `kind`, `pixels`, `name_key`);
CREATE INDEX `entry_kind_hidden_pixels_id` ON `entries` (`kind`, `hidden`, `pixels`, `id`);
-- The four quarters of perceptual hashes: similar pictures have one nearly in common.
CREATE INDEX `entry_phash_a` ON `entries` (((phash >> 48) & 65535)) WHERE phash IS NOT NULL;
CREATE INDEX `entry_phash_b` ON `entries` (((phash >> 32) & 65535)) WHERE phash IS NOT NULL;
CREATE INDEX `entry_phash_c` ON `entries` (((phash >> 16) & 65535)) WHERE phash IS NOT NULL;
CREATE INDEX `entry_phash_d` ON `entries` ((phash & 65535)) WHERE phash IS NOT NULL;
CREATE INDEX `entry_owner_id_kind_size` ON `entries` (`owner_id`, `kind`, `size`) WHERE owner_id IS NOT NULL;
CREATE INDEX `entry_favorite` ON `entries` (`favorite`);
CREATE INDEX `entry_parent_id_kind_rating_name_key` ON `entries` (`parent_id`, `kind`, `rating`, `name_key`);
CREATE INDEX `entry_kind_hidden_rating_id` ON `entries` (`kind`, `hidden`, `rating`, `id`);
CREATE INDEX `entry_phash` ON `entries` (`phash`) WHERE phash IS NOT NULL;
CREATE INDEX `entry_sha256_hidden_size` ON `entries` (`sha256`, `hidden`, `size`) WHERE sha256 IS NOT NULL;
CREATE INDEX `entry_ok_l_ok_a_ok_b` ON `entries` (`ok_l`, `ok_a`, `ok_b`) WHERE ok_l IS NOT NULL;

CREATE TABLE `intents` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `owner` text NOT NULL,
  `change` text NOT NULL,
  `source` text NOT NULL DEFAULT (''),
  `target` text NOT NULL DEFAULT (''),
  `seen` integer NOT NULL
);
CREATE INDEX `intent_owner` ON `intents` (`owner`);
CREATE INDEX `intent_seen` ON `intents` (`seen`);

CREATE TABLE `taggings` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `entry_id` integer NOT NULL,
  `key` text NOT NULL,
  `name` text NOT NULL
);
CREATE UNIQUE INDEX `tagging_key_entry_id` ON `taggings` (`key`, `entry_id`);
CREATE INDEX `tagging_entry_id` ON `taggings` (`entry_id`);

CREATE TABLE `api_tokens` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `hash` text NOT NULL,
  `prefix` text NOT NULL,
  `scopes` json NOT NULL,
  `created_at` datetime NOT NULL,
  `expires_at` datetime NULL,
  `last_used_at` datetime NULL,
  `revoked_at` datetime NULL,
  `user_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `api_tokens_users_api_tokens` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `api_tokens_hash_key` ON `api_tokens` (`hash`);
CREATE INDEX `apitoken_user_id_created_at` ON `api_tokens` (`user_id`, `created_at`);

CREATE TABLE `audit_events` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `at` datetime NOT NULL,
  `actor_id` uuid NULL,
  `actor_name` text NOT NULL DEFAULT (''),
  `token_id` text NOT NULL DEFAULT (''),
  `action` text NOT NULL,
  `target` text NOT NULL DEFAULT (''),
  `before` json NULL,
  `after` json NULL,
  `address` text NOT NULL DEFAULT (''),
  `request_id` text NOT NULL DEFAULT (''),
  `prunes_before` integer NULL
);
CREATE INDEX `auditevent_at` ON `audit_events` (`at`);
CREATE INDEX `auditevent_actor_id_id` ON `audit_events` (`actor_id`, `id`);
CREATE INDEX `auditevent_action_id` ON `audit_events` (`action`, `id`);
CREATE INDEX `auditevent_target_id` ON `audit_events` (`target`, `id`);
CREATE INDEX `auditevent_prunes_before` ON `audit_events` (`prunes_before`);

CREATE TABLE `storage_settings` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `kind` text NOT NULL,
  `folder` text NOT NULL DEFAULT (''),
  `bucket` text NOT NULL DEFAULT (''),
  `prefix` text NOT NULL DEFAULT (''),
  `region` text NOT NULL DEFAULT (''),
  `endpoint` text NOT NULL DEFAULT (''),
  `path_style` bool NOT NULL DEFAULT (false),
  `access_key_id` text NOT NULL DEFAULT (''),
  `secret_access_key` text NOT NULL DEFAULT (''),
  `session_token` text NOT NULL DEFAULT (''),
  `applied_at` datetime NULL,
  `updated_at` datetime NOT NULL
);

CREATE TABLE `trash_items` (
  `id` text NOT NULL,
  `path` text NOT NULL,
  `is_folder` bool NOT NULL,
  `size` integer NOT NULL,
  `files` integer NOT NULL,
  `trashed_at` integer NOT NULL,
  `trashed_by` text NOT NULL DEFAULT (''),
  `trashed_by_id` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
CREATE INDEX `trashitem_trashed_at` ON `trash_items` (`trashed_at`);

CREATE TABLE `archives` (
  `id` text NOT NULL,
  `account_id` uuid NOT NULL,
  `guest` bool NOT NULL DEFAULT (false),
  `name` text NOT NULL,
  `paths` json NOT NULL,
  `created_at` datetime NOT NULL,
  `expires_at` datetime NOT NULL,
  `token_id` text NOT NULL DEFAULT (''),
  `token_version` integer NOT NULL DEFAULT (0),
  `api_token` bool NOT NULL DEFAULT (false),
  PRIMARY KEY (`id`)
);
CREATE INDEX `archive_expires_at` ON `archives` (`expires_at`);
CREATE INDEX `archive_account_id_created_at` ON `archives` (`account_id`, `created_at`);

CREATE TABLE `saved_searches` (
  `id` uuid NOT NULL,
  `user_id` uuid NOT NULL,
  `name` text NOT NULL,
  `name_key` text NOT NULL,
  `folder` text NOT NULL DEFAULT (''),
  `recursive` bool NOT NULL DEFAULT (true),
  `search` text NOT NULL DEFAULT (''),
  `filter` text NOT NULL DEFAULT (''),
  `sort` text NOT NULL DEFAULT ('NAME'),
  `descending` bool NOT NULL DEFAULT (false),
  `created_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `savedsearch_user_id_name_key` ON `saved_searches` (`user_id`, `name_key`);

-- The index of words: searches look up the starts of entries.words in it. Triggers keep it.
CREATE VIRTUAL TABLE `entry_words` USING fts4(content="entries", words, tokenize=simple, prefix="2,3");

CREATE TABLE `signing_keys` (
  `id` text NOT NULL,
  `secret` text NOT NULL,
  `signer_type` text NOT NULL,
  `signer_truncate` integer NOT NULL,
  `created_at` datetime NOT NULL,
  `revoked_at` datetime NULL,
  PRIMARY KEY (`id`)
);

CREATE TABLE `presets` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `version` integer NOT NULL,
  `operations` text NOT NULL,
  `parameters` text NOT NULL DEFAULT ('[]'),
  `deleted` bool NOT NULL DEFAULT (false),
  `created_at` datetime NOT NULL,
  `created_by` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `preset_name_version` ON `presets` (`name`, `version`);

-- Only a row that names an id with prunes_before makes earlier ones removable.
-- +goose StatementBegin
CREATE TRIGGER `audit_events_no_delete` BEFORE DELETE ON `audit_events`
WHEN NOT EXISTS (SELECT 1 FROM `audit_events` AS p WHERE p.`prunes_before` > OLD.`id`) BEGIN
  SELECT RAISE(ABORT, 'audit events cannot be deleted');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `audit_events_no_update` BEFORE UPDATE ON `audit_events` BEGIN
  SELECT RAISE(ABORT, 'audit events cannot be changed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_insert` AFTER INSERT ON `entries` BEGIN
  INSERT INTO `entry_words`(docid, words) VALUES (new.id, new.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_before` BEFORE UPDATE OF words ON `entries` BEGIN
  DELETE FROM `entry_words` WHERE docid = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_after` AFTER UPDATE OF words ON `entries` BEGIN
  INSERT INTO `entry_words`(docid, words) VALUES (new.id, new.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_delete` BEFORE DELETE ON `entries` BEGIN
  DELETE FROM `entry_words` WHERE docid = old.id;
END;
-- +goose StatementEnd
-- The tags of a file end with its row.
-- +goose StatementBegin
CREATE TRIGGER `entry_taggings_delete` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `taggings` WHERE entry_id = old.id;
END;
-- +goose StatementEnd
