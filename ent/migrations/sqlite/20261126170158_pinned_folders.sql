-- +goose Up
-- The folders that each account has pinned, by their ids in the API.
ALTER TABLE `users` ADD COLUMN `pinned_folders` json NULL;
