-- +goose Up
-- written by hand: ent knows neither expressions in an index nor collations.
CREATE INDEX "entry_words" ON "entries" USING gin (array_to_tsvector(string_to_array("words", ' ')));
CREATE INDEX "entry_path_bytes" ON "entries" ("path" COLLATE "C");

-- +goose Down
DROP INDEX "entry_path_bytes";
DROP INDEX "entry_words";
