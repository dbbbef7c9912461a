-- +goose Up
-- written by hand, and for PostgreSQL alone: which server does the work that one of all does (package database/leases)
CREATE TABLE leases (
  name text PRIMARY KEY,
  owner text NOT NULL,
  fence bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
-- with fence in a key, a new owner waits for the transactions that have locked the row FOR KEY SHARE; a renewal does not
CREATE UNIQUE INDEX leases_fence ON leases (name, fence);

-- +goose Down
DROP TABLE leases;
