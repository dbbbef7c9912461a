-- +goose Up
-- written by hand: ent knows no triggers.
-- The tags of a file end with its row: totalCount of a tag counts them. The statement of a trigger also sees a tag whose transaction
-- the deletion has waited for, which one that deletes both at once does not.
-- +goose StatementBegin
CREATE FUNCTION "entry_taggings_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM taggings WHERE entry_id IN (SELECT id FROM gone);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER "entry_taggings_delete" AFTER DELETE ON "entries" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "entry_taggings_delete"();
DELETE FROM "taggings" t WHERE NOT EXISTS (SELECT 1 FROM "entries" e WHERE e."id" = t."entry_id");

-- +goose Down
DROP TRIGGER "entry_taggings_delete" ON "entries";
DROP FUNCTION "entry_taggings_delete"();
