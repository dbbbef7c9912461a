-- +goose Up
CREATE TABLE `signing_keys` (`id` text NOT NULL, `secret` text NOT NULL, `signer_type` text NOT NULL, `signer_truncate` integer NOT NULL, `created_at` datetime NOT NULL, `revoked_at` datetime NULL, PRIMARY KEY (`id`));

-- +goose Down
DROP TABLE `signing_keys`;
