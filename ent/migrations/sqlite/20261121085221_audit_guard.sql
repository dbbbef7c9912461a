-- +goose Up
-- written by hand: the audit log is append-only. Nothing changes an entry; only those that an entry about a pruning covers may go
-- +goose StatementBegin
CREATE TRIGGER `audit_events_no_update` BEFORE UPDATE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'audit events cannot be changed'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `audit_events_no_delete` BEFORE DELETE ON `audit_events` WHEN NOT EXISTS (SELECT 1 FROM `audit_events` AS p WHERE p.`prunes_before` > OLD.`id`) BEGIN SELECT RAISE(ABORT, 'audit events cannot be deleted'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `audit_events_no_delete`;
DROP TRIGGER `audit_events_no_update`;
