-- +goose Up
-- create "webhooks" table
CREATE TABLE `webhooks` (`id` uuid NOT NULL, `name` text NOT NULL, `url` text NOT NULL, `events` json NOT NULL, `folder` text NOT NULL DEFAULT (''), `is_active` bool NOT NULL DEFAULT (true), `is_gone` bool NOT NULL DEFAULT (false), `secret` text NOT NULL, `previous_secret` text NOT NULL DEFAULT (''), `previous_secret_until` datetime NULL, `created_at` datetime NOT NULL, `updated_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- create "webhook_deliveries" table
CREATE TABLE `webhook_deliveries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `message` text NOT NULL, `event` text NOT NULL, `source` text NOT NULL, `target` text NOT NULL DEFAULT (''), `data` text NOT NULL, `state` text NOT NULL DEFAULT ('pending'), `attempts` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `queued_at` datetime NOT NULL, `next_at` datetime NOT NULL, `attempted_at` datetime NULL, `status_code` integer NOT NULL DEFAULT (0), `problem` text NOT NULL DEFAULT (''), `duration_ms` integer NOT NULL DEFAULT (0), `webhook_id` uuid NOT NULL, CONSTRAINT `webhook_deliveries_webhooks_deliveries` FOREIGN KEY (`webhook_id`) REFERENCES `webhooks` (`id`) ON DELETE CASCADE);
-- create index "webhookdelivery_webhook_id_state_id" to table: "webhook_deliveries"
CREATE INDEX `webhookdelivery_webhook_id_state_id` ON `webhook_deliveries` (`webhook_id`, `state`, `id`);
-- create index "webhookdelivery_webhook_id_id" to table: "webhook_deliveries"
CREATE INDEX `webhookdelivery_webhook_id_id` ON `webhook_deliveries` (`webhook_id`, `id`);
