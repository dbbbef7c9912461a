-- +goose Up
CREATE TABLE "presets" ("id" uuid NOT NULL, "name" character varying NOT NULL, "version" bigint NOT NULL, "operations" character varying NOT NULL, "parameters" character varying NOT NULL DEFAULT '[]', "deleted" boolean NOT NULL DEFAULT false, "created_at" timestamptz NOT NULL, "created_by" character varying NOT NULL DEFAULT '', PRIMARY KEY ("id"));
CREATE UNIQUE INDEX "preset_name_version" ON "presets" ("name", "version");
-- written by hand: servers read the presets again when one was saved or deleted (package database/notices)
CREATE TRIGGER presets_notice AFTER INSERT OR UPDATE ON presets FOR EACH ROW EXECUTE FUNCTION settings_notice();

-- +goose Down
DROP INDEX "preset_name_version";
DROP TABLE "presets";
