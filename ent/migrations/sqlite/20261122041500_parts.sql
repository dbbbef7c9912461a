-- +goose Up
-- written by hand: the ends of words, from two characters on, follow the words, so that a search by prefix finds what is in the middle of a
-- word (gallery/words). Words of more than 32 characters have none.
DROP TRIGGER `entry_words_delete`;
DROP TRIGGER `entry_words_after`;
DROP TRIGGER `entry_words_before`;
DROP TRIGGER `entry_words_insert`;
DROP TABLE `entry_words`;
UPDATE `entries` SET `words` = `words` || coalesce((WITH RECURSIVE `word`(`w`, `rest`) AS (SELECT '', `entries`.`words` || ' ' UNION ALL SELECT substr(`rest`, 1, instr(`rest`, ' ') - 1), substr(`rest`, instr(`rest`, ' ') + 1) FROM `word` WHERE `rest` <> ''), `part`(`p`) AS (SELECT substr(`w`, 2) FROM `word` WHERE length(`w`) BETWEEN 3 AND 32 UNION SELECT substr(`p`, 2) FROM `part` WHERE length(`p`) > 2) SELECT ' ' || group_concat(`p`, ' ') FROM `part`), '') WHERE `words` <> '';
CREATE VIRTUAL TABLE `entry_words` USING fts4(content="entries", words, tokenize=simple, prefix="2,3");
INSERT INTO `entry_words`(`entry_words`) VALUES ('rebuild');
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
CREATE VIRTUAL TABLE `entry_words` USING fts4(content="entries", words, tokenize=simple, prefix="3");
INSERT INTO `entry_words`(`entry_words`) VALUES ('rebuild');
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
