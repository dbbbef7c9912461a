-- +goose Up
-- written by hand: the audit log is append-only. Nothing changes an entry; only those that an entry about a pruning covers may go
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_events_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM audit_events p WHERE p.prunes_before > OLD.id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit events cannot be changed or deleted';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_events_guard BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION audit_events_guard();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION audit_events_guard();

-- +goose Down
DROP TRIGGER audit_events_no_truncate ON audit_events;
DROP TRIGGER audit_events_guard ON audit_events;
DROP FUNCTION audit_events_guard;
