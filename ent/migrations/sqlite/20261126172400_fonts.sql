-- +goose Up
-- create "fonts" table
CREATE TABLE `fonts` (`id` text NOT NULL, `family` text NOT NULL, `style` text NOT NULL, `weight` integer NOT NULL, `is_italic` bool NOT NULL, `format` text NOT NULL, `size_bytes` integer NOT NULL, `added_at` datetime NOT NULL, `added_by` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- create index "font_family_style" to table: "fonts"
CREATE UNIQUE INDEX `font_family_style` ON `fonts` (`family`, `style`);
-- create "font_files" table
CREATE TABLE `font_files` (`id` text NOT NULL, `data` blob NOT NULL, PRIMARY KEY (`id`));
