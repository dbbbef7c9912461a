-- +goose Up
-- New columns of "users": to rebuild the table would delete what refers to it.
ALTER TABLE `users` ADD COLUMN `email` text NOT NULL DEFAULT ('');
ALTER TABLE `users` ADD COLUMN `language` text NOT NULL DEFAULT ('');
