-- +goose Up
-- written by hand: times were stored in the zone of the server, as text with its offset, and texts are compared. From now
-- on all are in UTC
DROP TRIGGER `audit_events_no_update`;
UPDATE `processor_settings` SET `previous_until` = strftime('%Y-%m-%d %H:%M:%S', substr(`previous_until`, 1, 19) || substr(`previous_until`, -6)) || substr(`previous_until`, 20, length(`previous_until`) - 25) || '+00:00' WHERE substr(`previous_until`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`previous_until`, -6) <> '+00:00';
UPDATE `processor_settings` SET `updated_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`updated_at`, 1, 19) || substr(`updated_at`, -6)) || substr(`updated_at`, 20, length(`updated_at`) - 25) || '+00:00' WHERE substr(`updated_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`updated_at`, -6) <> '+00:00';
UPDATE `revoked_tokens` SET `expires_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`expires_at`, 1, 19) || substr(`expires_at`, -6)) || substr(`expires_at`, 20, length(`expires_at`) - 25) || '+00:00' WHERE substr(`expires_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`expires_at`, -6) <> '+00:00';
UPDATE `users` SET `created_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`created_at`, 1, 19) || substr(`created_at`, -6)) || substr(`created_at`, 20, length(`created_at`) - 25) || '+00:00' WHERE substr(`created_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`created_at`, -6) <> '+00:00';
UPDATE `users` SET `updated_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`updated_at`, 1, 19) || substr(`updated_at`, -6)) || substr(`updated_at`, 20, length(`updated_at`) - 25) || '+00:00' WHERE substr(`updated_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`updated_at`, -6) <> '+00:00';
UPDATE `users` SET `last_login_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`last_login_at`, 1, 19) || substr(`last_login_at`, -6)) || substr(`last_login_at`, 20, length(`last_login_at`) - 25) || '+00:00' WHERE substr(`last_login_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`last_login_at`, -6) <> '+00:00';
UPDATE `pending_uploads` SET `busy_until` = strftime('%Y-%m-%d %H:%M:%S', substr(`busy_until`, 1, 19) || substr(`busy_until`, -6)) || substr(`busy_until`, 20, length(`busy_until`) - 25) || '+00:00' WHERE substr(`busy_until`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`busy_until`, -6) <> '+00:00';
UPDATE `pending_uploads` SET `created_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`created_at`, 1, 19) || substr(`created_at`, -6)) || substr(`created_at`, 20, length(`created_at`) - 25) || '+00:00' WHERE substr(`created_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`created_at`, -6) <> '+00:00';
UPDATE `pending_uploads` SET `expires_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`expires_at`, 1, 19) || substr(`expires_at`, -6)) || substr(`expires_at`, 20, length(`expires_at`) - 25) || '+00:00' WHERE substr(`expires_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`expires_at`, -6) <> '+00:00';
UPDATE `api_tokens` SET `created_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`created_at`, 1, 19) || substr(`created_at`, -6)) || substr(`created_at`, 20, length(`created_at`) - 25) || '+00:00' WHERE substr(`created_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`created_at`, -6) <> '+00:00';
UPDATE `api_tokens` SET `expires_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`expires_at`, 1, 19) || substr(`expires_at`, -6)) || substr(`expires_at`, 20, length(`expires_at`) - 25) || '+00:00' WHERE substr(`expires_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`expires_at`, -6) <> '+00:00';
UPDATE `api_tokens` SET `last_used_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`last_used_at`, 1, 19) || substr(`last_used_at`, -6)) || substr(`last_used_at`, 20, length(`last_used_at`) - 25) || '+00:00' WHERE substr(`last_used_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`last_used_at`, -6) <> '+00:00';
UPDATE `api_tokens` SET `revoked_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`revoked_at`, 1, 19) || substr(`revoked_at`, -6)) || substr(`revoked_at`, 20, length(`revoked_at`) - 25) || '+00:00' WHERE substr(`revoked_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`revoked_at`, -6) <> '+00:00';
UPDATE `storage_settings` SET `applied_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`applied_at`, 1, 19) || substr(`applied_at`, -6)) || substr(`applied_at`, 20, length(`applied_at`) - 25) || '+00:00' WHERE substr(`applied_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`applied_at`, -6) <> '+00:00';
UPDATE `storage_settings` SET `updated_at` = strftime('%Y-%m-%d %H:%M:%S', substr(`updated_at`, 1, 19) || substr(`updated_at`, -6)) || substr(`updated_at`, 20, length(`updated_at`) - 25) || '+00:00' WHERE substr(`updated_at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`updated_at`, -6) <> '+00:00';
UPDATE `audit_events` SET `at` = strftime('%Y-%m-%d %H:%M:%S', substr(`at`, 1, 19) || substr(`at`, -6)) || substr(`at`, 20, length(`at`) - 25) || '+00:00' WHERE substr(`at`, -6) GLOB '[-+][0-9][0-9]:[0-9][0-9]' AND substr(`at`, -6) <> '+00:00';
-- +goose StatementBegin
CREATE TRIGGER `audit_events_no_update` BEFORE UPDATE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'audit events cannot be changed'); END;
-- +goose StatementEnd

-- +goose Down
-- both forms name the same time
SELECT 1;
