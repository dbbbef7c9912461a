-- +goose Up
-- create "fonts" table
CREATE TABLE "fonts" ("id" character varying NOT NULL, "family" character varying NOT NULL, "style" character varying NOT NULL, "weight" bigint NOT NULL, "is_italic" boolean NOT NULL, "format" character varying NOT NULL, "size_bytes" bigint NOT NULL, "added_at" timestamptz NOT NULL, "added_by" character varying NOT NULL DEFAULT '', PRIMARY KEY ("id"));
-- create index "font_family_style" to table: "fonts"
CREATE UNIQUE INDEX "font_family_style" ON "fonts" ("family", "style");
-- create "font_files" table
CREATE TABLE "font_files" ("id" character varying NOT NULL, "data" bytea NOT NULL, PRIMARY KEY ("id"));
CREATE TRIGGER fonts_notice AFTER INSERT OR DELETE ON fonts
  FOR EACH ROW EXECUTE FUNCTION settings_notice();
