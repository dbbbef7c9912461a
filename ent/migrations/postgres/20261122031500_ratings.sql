-- +goose Up
-- written by hand: what is generated would copy the table and lose the triggers of its words.
ALTER TABLE "entries" ADD COLUMN "rating" smallint NOT NULL DEFAULT 0;
ALTER TABLE "entries" ADD COLUMN "favorite" boolean NOT NULL DEFAULT false;
CREATE INDEX "entry_favorite" ON "entries" ("favorite");
CREATE INDEX "entry_parent_id_kind_rating_name_key" ON "entries" ("parent_id", "kind", "rating", "name_key");
CREATE INDEX "entry_kind_hidden_rating_id" ON "entries" ("kind", "hidden", "rating", "id");

-- +goose Down
DROP INDEX "entry_kind_hidden_rating_id";
DROP INDEX "entry_parent_id_kind_rating_name_key";
DROP INDEX "entry_favorite";
ALTER TABLE "entries" DROP COLUMN "favorite";
ALTER TABLE "entries" DROP COLUMN "rating";
