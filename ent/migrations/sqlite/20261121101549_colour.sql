-- +goose Up
-- create index "entry_ok_l_ok_a_ok_b" to table: "entries"
CREATE INDEX `entry_ok_l_ok_a_ok_b` ON `entries` (`ok_l`, `ok_a`, `ok_b`);

-- +goose Down
-- reverse: create index "entry_ok_l_ok_a_ok_b" to table: "entries"
DROP INDEX `entry_ok_l_ok_a_ok_b`;
