-- +goose Up
-- written by hand: files whose name ends like that of a template's preview, but in another case, were hidden on SQLite once their folder was moved or
-- restored, because its LIKE ignores case. They are ordinary files. PostgreSQL has such rows if they were copied from SQLite.
UPDATE `entries` SET `hidden` = FALSE WHERE `hidden` AND `path` NOT LIKE '.%' AND `path` NOT LIKE '%/.%' AND substr(`path`, -22) <> '.template.preview.webp';

-- +goose Down
SELECT 1; -- the rows are right for every version
