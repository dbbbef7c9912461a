-- +goose Up
-- add column "passkey_id" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `passkey_id` uuid NULL;
