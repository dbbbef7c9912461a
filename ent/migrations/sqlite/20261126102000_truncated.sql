-- +goose Up
ALTER TABLE `entries` ADD COLUMN `truncated` bool NOT NULL DEFAULT (false);
CREATE INDEX `entry_truncated` ON `entries` (`truncated`) WHERE truncated;
