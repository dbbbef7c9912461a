-- +goose Up
-- written by hand: ent knows neither full text nor triggers. A later migration that copies the table entries
-- must make the triggers again.
CREATE VIRTUAL TABLE `entry_words` USING fts4(content="entries", words, tokenize=simple, prefix="3");
-- +goose StatementBegin
CREATE TRIGGER `entry_words_insert` AFTER INSERT ON `entries` BEGIN INSERT INTO `entry_words`(docid, words) VALUES (new.id, new.words); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_before` BEFORE UPDATE OF words ON `entries` BEGIN DELETE FROM `entry_words` WHERE docid = old.id; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_after` AFTER UPDATE OF words ON `entries` BEGIN INSERT INTO `entry_words`(docid, words) VALUES (new.id, new.words); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `entry_words_delete` BEFORE DELETE ON `entries` BEGIN DELETE FROM `entry_words` WHERE docid = old.id; END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `entry_words_delete`;
DROP TRIGGER `entry_words_after`;
DROP TRIGGER `entry_words_before`;
DROP TRIGGER `entry_words_insert`;
DROP TABLE `entry_words`;
