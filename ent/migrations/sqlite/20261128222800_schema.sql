-- +goose Up
-- The schema of the first release. Tables and most indexes are those of ent/schema. The rest is written by hand, because
-- ent knows neither triggers, views nor generated columns. A later migration that copies the table entries must create its
-- triggers again.

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
  `pinned_folders` json NULL,
  `second_factor` bool NOT NULL DEFAULT (false),
  `totp_secret` text NOT NULL DEFAULT (''),
  `totp_step` integer NOT NULL DEFAULT (0),
  `totp_added_at` datetime NULL,
  `code_failures` integer NOT NULL DEFAULT (0),
  `code_failed_at` datetime NULL,
  `recovery_codes` json NULL,
  `email` text NOT NULL DEFAULT (''),
  `email_key` text NULL,
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `users_username_key_key` ON `users` (`username_key`);
CREATE INDEX `user_role_is_active` ON `users` (`role`, `is_active`);
CREATE INDEX `user_created_at_id` ON `users` (`created_at`, `id`);
CREATE UNIQUE INDEX `users_email_key_key` ON `users` (`email_key`);

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
  `share_id` uuid NULL,
  PRIMARY KEY (`id`)
);
CREATE INDEX `pendingupload_expires_at` ON `pending_uploads` (`expires_at`);
CREATE INDEX `pendingupload_owner_id_path` ON `pending_uploads` (`owner_id`, `path`);
CREATE UNIQUE INDEX `pendingupload_owner_id_client_key` ON `pending_uploads` (`owner_id`, `client_key`);
CREATE INDEX `pendingupload_share_id` ON `pending_uploads` (`share_id`);

-- The class says what a name says: 3 it starts with a dot, 2 the preview of a template, 1 a template, 0 anything else.
-- gallery/search has the same rules in Go.
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
  `favorite` bool NOT NULL DEFAULT (false),
  `class` integer GENERATED ALWAYS AS (CASE
  WHEN substr(`name`, 1, 1) = '.' THEN 3
  WHEN substr(`name`, -22) = '.template.preview.webp' THEN 2
  WHEN `meta_state` = 3 AND lower(substr(`name`, -14)) = '.template.json' THEN 1
  ELSE 0 END) VIRTUAL,
  `lens` text NOT NULL DEFAULT (''),
  `colors` text NOT NULL DEFAULT (''),
  `truncated` bool NOT NULL DEFAULT (false),
  `map_x` integer NULL,
  `map_y` integer NULL,
  `place` text NOT NULL DEFAULT ('')
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
CREATE INDEX `entry_camera` ON `entries` (`camera`, `hidden`) WHERE camera <> '';
CREATE INDEX `entry_lens` ON `entries` (`lens`, `hidden`) WHERE lens <> '';
-- The words of folders, which are few beside files: a search reads all of them.
CREATE INDEX `entry_folder_words` ON `entries` (`words`) WHERE kind = 0;
CREATE INDEX `entry_truncated` ON `entries` (`truncated`) WHERE truncated;
-- A part of the map, with all that its clusters are made of.
CREATE INDEX `entry_map` ON `entries` (`map_x`, `map_y`, `kind`, `hidden`, `place`) WHERE map_x IS NOT NULL;
CREATE INDEX `entry_place` ON `entries` (`place`, `hidden`) WHERE place <> '';

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

-- How many entries each folder holds directly, by what lists select: counting a million rows takes longer than a page of them.
CREATE TABLE `entry_counts` (
  `parent_id` integer NOT NULL,
  `kind` integer NOT NULL,
  `hidden` bool NOT NULL,
  `class` integer NOT NULL,
  `type` text NOT NULL,
  `n` integer NOT NULL,
  PRIMARY KEY (`parent_id`, `kind`, `hidden`, `class`, `type`)
) WITHOUT ROWID;

CREATE TABLE `sessions` (
  `id` uuid NOT NULL,
  `version` integer NOT NULL,
  `user_agent` text NOT NULL DEFAULT (''),
  `address` text NOT NULL DEFAULT (''),
  `created_at` datetime NOT NULL,
  `last_used_at` datetime NOT NULL,
  `expires_at` datetime NOT NULL,
  `user_id` uuid NOT NULL,
  `provider` text NOT NULL DEFAULT (''),
  `provider_session` text NOT NULL DEFAULT (''),
  `confirmed_at` datetime NULL,
  `passkey_id` uuid NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `sessions_users_sessions` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE INDEX `session_user_id_last_used_at` ON `sessions` (`user_id`, `last_used_at`);
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
CREATE INDEX `session_provider_provider_session` ON `sessions` (`provider`, `provider_session`);

CREATE TABLE `fonts` (
  `id` text NOT NULL,
  `family` text NOT NULL,
  `style` text NOT NULL,
  `weight` integer NOT NULL,
  `is_italic` bool NOT NULL,
  `format` text NOT NULL,
  `size_bytes` integer NOT NULL,
  `added_at` datetime NOT NULL,
  `added_by` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `font_family_style` ON `fonts` (`family`, `style`);

CREATE TABLE `font_files` (
  `id` text NOT NULL,
  `data` blob NOT NULL,
  PRIMARY KEY (`id`)
);

CREATE TABLE `identities` (
  `id` uuid NOT NULL,
  `issuer` text NOT NULL,
  `subject` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `identities_users_identities` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `identity_issuer_subject` ON `identities` (`issuer`, `subject`);
CREATE INDEX `identity_user_id_issuer` ON `identities` (`user_id`, `issuer`);

CREATE TABLE `factor_policies` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `admins` bool NOT NULL DEFAULT (false),
  `users` bool NOT NULL DEFAULT (false),
  `providers` bool NOT NULL DEFAULT (false),
  `updated_at` datetime NOT NULL
);

CREATE TABLE `passkeys` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `rp_id` text NOT NULL,
  `credential_id` text NOT NULL,
  `credential` text NOT NULL,
  `created_at` datetime NOT NULL,
  `last_used_at` datetime NULL,
  `user_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `passkeys_users_passkeys` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `passkeys_credential_id_key` ON `passkeys` (`credential_id`);
CREATE INDEX `passkey_user_id_created_at` ON `passkeys` (`user_id`, `created_at`);

CREATE TABLE `groups` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `name_key` text NOT NULL,
  `created_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
CREATE UNIQUE INDEX `groups_name_key_key` ON `groups` (`name_key`);

CREATE TABLE `grants` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `path` text NOT NULL,
  `grantee` text NOT NULL,
  `level` integer NOT NULL,
  `group_id` uuid NULL,
  `user_id` uuid NULL,
  CONSTRAINT `grants_groups_grants` FOREIGN KEY (`group_id`) REFERENCES `groups` (`id`) ON DELETE CASCADE,
  CONSTRAINT `grants_users_grants` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE INDEX `grant_path` ON `grants` (`path`);
CREATE INDEX `grant_user_id` ON `grants` (`user_id`);
CREATE INDEX `grant_group_id` ON `grants` (`group_id`);

CREATE TABLE `memberships` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `group_id` uuid NOT NULL,
  `user_id` uuid NOT NULL,
  CONSTRAINT `memberships_groups_memberships` FOREIGN KEY (`group_id`) REFERENCES `groups` (`id`) ON DELETE CASCADE,
  CONSTRAINT `memberships_users_memberships` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `membership_user_id_group_id` ON `memberships` (`user_id`, `group_id`);
CREATE INDEX `membership_group_id` ON `memberships` (`group_id`);

CREATE TABLE `webhooks` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `url` text NOT NULL,
  `events` json NOT NULL,
  `folder` text NOT NULL DEFAULT (''),
  `is_active` bool NOT NULL DEFAULT (true),
  `is_gone` bool NOT NULL DEFAULT (false),
  `secret` text NOT NULL,
  `previous_secret` text NOT NULL DEFAULT (''),
  `previous_secret_until` datetime NULL,
  `created_at` datetime NOT NULL,
  `updated_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);

CREATE TABLE `webhook_deliveries` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `message` text NOT NULL,
  `event` text NOT NULL,
  `source` text NOT NULL,
  `target` text NOT NULL DEFAULT (''),
  `data` text NOT NULL,
  `state` text NOT NULL DEFAULT ('pending'),
  `attempts` integer NOT NULL DEFAULT (0),
  `created_at` datetime NOT NULL,
  `queued_at` datetime NOT NULL,
  `next_at` datetime NOT NULL,
  `attempted_at` datetime NULL,
  `status_code` integer NOT NULL DEFAULT (0),
  `problem` text NOT NULL DEFAULT (''),
  `duration_ms` integer NOT NULL DEFAULT (0),
  `webhook_id` uuid NOT NULL,
  CONSTRAINT `webhook_deliveries_webhooks_deliveries` FOREIGN KEY (`webhook_id`) REFERENCES `webhooks` (`id`) ON DELETE CASCADE
);
CREATE INDEX `webhookdelivery_webhook_id_state_id` ON `webhook_deliveries` (`webhook_id`, `state`, `id`);
CREATE INDEX `webhookdelivery_webhook_id_id` ON `webhook_deliveries` (`webhook_id`, `id`);

CREATE TABLE `shares` (
  `id` uuid NOT NULL,
  `key_hash` text NOT NULL,
  `sealed_key` text NOT NULL,
  `name` text NOT NULL,
  `kind` text NOT NULL,
  `password_hash` text NOT NULL DEFAULT (''),
  `expires_at` datetime NULL,
  `downloads` text NOT NULL DEFAULT ('none'),
  `upload_quota` integer NOT NULL DEFAULT (0),
  `uploaded` integer NOT NULL DEFAULT (0),
  `watermark` text NOT NULL DEFAULT (''),
  `visits` integer NOT NULL DEFAULT (0),
  `last_visit_at` datetime NULL,
  `created_at` datetime NOT NULL,
  `owner_id` uuid NOT NULL,
  `album_id` uuid NULL,
  `allow_feedback` bool NOT NULL DEFAULT (false),
  `feedback_seen_at` datetime NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `shares_users_shares` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `shares_key_hash_key` ON `shares` (`key_hash`);
CREATE INDEX `share_owner_id_created_at` ON `shares` (`owner_id`, `created_at`);

CREATE TABLE `share_days` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `day` text NOT NULL,
  `visits` integer NOT NULL DEFAULT (0),
  `share_id` uuid NOT NULL,
  CONSTRAINT `share_days_shares_days` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `shareday_share_id_day` ON `share_days` (`share_id`, `day`);

CREATE TABLE `share_items` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `path` text NOT NULL,
  `position` integer NOT NULL,
  `share_id` uuid NOT NULL,
  CONSTRAINT `share_items_shares_items` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE
);
CREATE INDEX `shareitem_path` ON `share_items` (`path`);
CREATE UNIQUE INDEX `shareitem_share_id_position` ON `share_items` (`share_id`, `position`);

CREATE TABLE `albums` (
  `id` uuid NOT NULL,
  `title` text NOT NULL,
  `title_key` text NOT NULL,
  `description` text NOT NULL DEFAULT (''),
  `visibility` text NOT NULL DEFAULT ('private'),
  `sort` text NOT NULL DEFAULT ('MANUAL'),
  `descending` bool NOT NULL DEFAULT (false),
  `cover_id` integer NULL,
  `smart` bool NOT NULL DEFAULT (false),
  `folder` text NOT NULL DEFAULT (''),
  `recursive` bool NOT NULL DEFAULT (true),
  `search` text NOT NULL DEFAULT (''),
  `filter` text NOT NULL DEFAULT (''),
  `created_at` datetime NOT NULL,
  `updated_at` datetime NOT NULL,
  `user_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `albums_users_albums` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE INDEX `album_title_key_id` ON `albums` (`title_key`, `id`);
CREATE INDEX `album_user_id` ON `albums` (`user_id`);

CREATE TABLE `album_items` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `entry_id` integer NOT NULL,
  `position` integer NOT NULL,
  `album_id` uuid NOT NULL,
  CONSTRAINT `album_items_albums_items` FOREIGN KEY (`album_id`) REFERENCES `albums` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `albumitem_album_id_entry_id` ON `album_items` (`album_id`, `entry_id`);
CREATE INDEX `albumitem_album_id_position` ON `album_items` (`album_id`, `position`);
CREATE INDEX `albumitem_entry_id` ON `album_items` (`entry_id`);

CREATE TABLE `mails` (
  `id` uuid NOT NULL,
  `kind` text NOT NULL,
  `recipient` text NOT NULL,
  `sender_id` uuid NULL,
  `network` text NOT NULL DEFAULT (''),
  `content` text NOT NULL,
  `state` text NOT NULL DEFAULT ('pending'),
  `attempts` integer NOT NULL DEFAULT (0),
  `created_at` datetime NOT NULL,
  `next_at` datetime NOT NULL,
  `ends_at` datetime NOT NULL,
  `attempted_at` datetime NULL,
  `problem` text NOT NULL DEFAULT (''),
  `answer` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
CREATE INDEX `mail_state_next_at` ON `mails` (`state`, `next_at`);
CREATE INDEX `mail_created_at_id` ON `mails` (`created_at`, `id`);
CREATE INDEX `mail_recipient_created_at` ON `mails` (`recipient`, `created_at`);
CREATE INDEX `mail_sender_id_created_at` ON `mails` (`sender_id`, `created_at`);
CREATE INDEX `mail_network_created_at` ON `mails` (`network`, `created_at`);

CREATE TABLE `mail_tokens` (
  `id` text NOT NULL,
  `purpose` text NOT NULL,
  `address` text NOT NULL,
  `version` integer NOT NULL,
  `ends_at` datetime NOT NULL,
  `user_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `mail_tokens_users_mail_tokens` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
);
CREATE INDEX `mailtoken_user_id` ON `mail_tokens` (`user_id`);
CREATE INDEX `mailtoken_ends_at` ON `mail_tokens` (`ends_at`);

CREATE TABLE `share_reviewers` (
  `id` uuid NOT NULL,
  `name` text NOT NULL,
  `token_hash` text NOT NULL,
  `created_at` datetime NOT NULL,
  `share_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `share_reviewers_shares_reviewers` FOREIGN KEY (`share_id`) REFERENCES `shares` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `sharereviewer_share_id_token_hash` ON `share_reviewers` (`share_id`, `token_hash`);

CREATE TABLE `share_comments` (
  `id` uuid NOT NULL,
  `share_id` uuid NOT NULL,
  `entry_id` integer NOT NULL,
  `text` text NOT NULL,
  `x` real NULL,
  `y` real NULL,
  `is_hidden` bool NOT NULL DEFAULT (false),
  `created_at` datetime NOT NULL,
  `reviewer_id` uuid NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `share_comments_share_reviewers_comments` FOREIGN KEY (`reviewer_id`) REFERENCES `share_reviewers` (`id`) ON DELETE CASCADE
);
CREATE INDEX `sharecomment_share_id_created_at_id` ON `share_comments` (`share_id`, `created_at`, `id`);
CREATE INDEX `sharecomment_share_id_entry_id` ON `share_comments` (`share_id`, `entry_id`);
CREATE INDEX `sharecomment_reviewer_id` ON `share_comments` (`reviewer_id`);
CREATE INDEX `sharecomment_entry_id` ON `share_comments` (`entry_id`);

CREATE TABLE `share_picks` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `share_id` uuid NOT NULL,
  `entry_id` integer NOT NULL,
  `choice` text NOT NULL DEFAULT ('none'),
  `rating` integer NOT NULL DEFAULT (0),
  `updated_at` datetime NOT NULL,
  `reviewer_id` uuid NOT NULL,
  CONSTRAINT `share_picks_share_reviewers_picks` FOREIGN KEY (`reviewer_id`) REFERENCES `share_reviewers` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `sharepick_reviewer_id_entry_id` ON `share_picks` (`reviewer_id`, `entry_id`);
CREATE INDEX `sharepick_share_id_entry_id` ON `share_picks` (`share_id`, `entry_id`);
CREATE INDEX `sharepick_share_id_updated_at` ON `share_picks` (`share_id`, `updated_at`);
CREATE INDEX `sharepick_entry_id` ON `share_picks` (`entry_id`);

-- What a caller may see depends on the grants, the members of groups and the folders. Each change of them adds to this number,
-- by which a server knows whether rights that it has read still apply.
CREATE TABLE `rights_version` (
  `n` integer NOT NULL
);

-- The index of words: searches look up the starts of entries.words in it. Triggers keep it.
CREATE VIRTUAL TABLE `entry_words` USING fts4(content="entries", words, tokenize=simple, prefix="2,3");

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
CREATE VIEW `entry_counts_now` AS
  SELECT `parent_id`, `kind`, `hidden`, `class`, `type`, count(*) AS `n` FROM `entries` GROUP BY 1, 2, 3, 4, 5;
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_insert` AFTER INSERT ON `entries` BEGIN
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, new.class, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_delete` AFTER DELETE ON `entries` BEGIN
  UPDATE `entry_counts` SET n = n - 1
    WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = old.class AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_counts_update` AFTER UPDATE OF parent_id, kind, hidden, name, meta_state, type ON `entries`
WHEN old.parent_id <> new.parent_id OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.class <> new.class OR old.type <> new.type BEGIN
  UPDATE `entry_counts` SET n = n - 1
    WHERE parent_id = old.parent_id AND kind = old.kind AND hidden = old.hidden AND class = old.class AND type = old.type;
  DELETE FROM `entry_counts` WHERE parent_id = old.parent_id AND n = 0;
  INSERT INTO `entry_counts` VALUES (new.parent_id, new.kind, new.hidden, new.class, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

-- The index of colors. Triggers keep it, as that of words.
CREATE VIRTUAL TABLE `entry_colors` USING fts4(content="entries", colors, tokenize=simple);
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_insert` AFTER INSERT ON `entries` WHEN new.colors <> '' BEGIN
  INSERT INTO `entry_colors`(docid, colors) VALUES (new.id, new.colors);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_before` BEFORE UPDATE OF colors ON `entries` WHEN old.colors <> '' BEGIN
  DELETE FROM `entry_colors` WHERE docid = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_after` AFTER UPDATE OF colors ON `entries` WHEN new.colors <> '' BEGIN
  INSERT INTO `entry_colors`(docid, colors) VALUES (new.id, new.colors);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_colors_delete` BEFORE DELETE ON `entries` WHEN old.colors <> '' BEGIN
  DELETE FROM `entry_colors` WHERE docid = old.id;
END;
-- +goose StatementEnd

-- What everybody may do until an admin changes it.
INSERT INTO grants (path, grantee, level) VALUES ('', 'everyone', 2), ('', 'guests', 1);

-- An item of an album ends with the row of its file
-- +goose StatementBegin
CREATE TRIGGER `entry_album_items_delete` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `album_items` WHERE entry_id = old.id;
END;
-- +goose StatementEnd

-- Feedback on a picture ends with the row of its file
-- +goose StatementBegin
CREATE TRIGGER `entry_feedback_delete` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `share_comments` WHERE entry_id = old.id;
  DELETE FROM `share_picks` WHERE entry_id = old.id;
END;
-- +goose StatementEnd
INSERT INTO `rights_version` VALUES (0);
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_insert` AFTER INSERT ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_update` AFTER UPDATE ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_delete` AFTER DELETE ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_insert` AFTER INSERT ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_update` AFTER UPDATE ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_delete` AFTER DELETE ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_insert` AFTER INSERT ON `entries` WHEN new.kind = 0 BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_delete` AFTER DELETE ON `entries` WHEN old.kind = 0 BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_update` AFTER UPDATE OF path, parent_id, kind, hidden ON `entries`
WHEN (old.kind = 0 OR new.kind = 0) AND (old.path <> new.path OR old.parent_id <> new.parent_id OR
  old.kind <> new.kind OR old.hidden <> new.hidden) BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
