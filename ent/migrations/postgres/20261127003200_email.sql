-- +goose Up
-- modify "users" table
ALTER TABLE "users" ADD COLUMN "email" character varying NOT NULL DEFAULT '', ADD COLUMN "language" character varying NOT NULL DEFAULT '';
