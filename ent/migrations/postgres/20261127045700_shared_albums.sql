-- +goose Up
-- modify "shares" table
ALTER TABLE "shares" ADD COLUMN "album_id" uuid NULL;
