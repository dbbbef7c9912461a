-- +goose Up
ALTER TABLE "entries" ADD COLUMN "truncated" boolean NOT NULL DEFAULT false;
CREATE INDEX "entry_truncated" ON "entries" ("truncated") WHERE truncated;
