-- +goose Up
CREATE TABLE `presets` (`id` uuid NOT NULL, `name` text NOT NULL, `version` integer NOT NULL, `operations` text NOT NULL, `parameters` text NOT NULL DEFAULT ('[]'), `deleted` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `created_by` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
CREATE UNIQUE INDEX `preset_name_version` ON `presets` (`name`, `version`);

-- +goose Down
DROP INDEX `preset_name_version`;
DROP TABLE `presets`;
