-- +goose Up
-- written by hand: ent knows neither triggers nor views. A later migration that copies the table entries must make the triggers again.
-- What is counted may be a whole search: a word, more words, and types after a slash, with one space between them, as in `img jpg /jpeg,png`.
DROP TRIGGER `word_counts_update`;
DROP TRIGGER `word_counts_delete`;
DROP TRIGGER `word_counts_insert`;
DROP VIEW `word_counts_now`;
CREATE VIEW `word_counts_now` AS SELECT w.`id` AS `word_id`, (e.`meta_state` = 3 AND lower(substr(e.`name`, -14)) = '.template.json') AS `template`, count(*) AS `n` FROM `counted_words` w JOIN `entries` e ON e.`kind` = 1 AND NOT e.`hidden` AND instr(' ' || e.`words`, ' ' || substr(w.`word`, 1, instr(w.`word` || ' ', ' ') - 1)) > 0 AND (instr(w.`word`, ' ') = 0 OR NOT EXISTS (SELECT 1 FROM json_each('["' || replace(w.`word`, ' ', '","') || '"]') AS t WHERE CASE WHEN substr(t.value, 1, 1) = '/' THEN instr(',' || substr(t.value, 2) || ',', ',' || e.`type` || ',') = 0 ELSE instr(' ' || e.`words`, ' ' || t.value) = 0 END)) GROUP BY 1, 2;
-- +goose StatementBegin
CREATE TRIGGER `word_counts_insert` AFTER INSERT ON `entries` WHEN new.kind = 1 AND NOT new.hidden BEGIN
  UPDATE `word_counts` SET n = n + 1 WHERE template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || substr(word, 1, instr(word || ' ', ' ') - 1)) > 0 AND (instr(word, ' ') = 0 OR NOT EXISTS (SELECT 1 FROM json_each('["' || replace(word, ' ', '","') || '"]') AS t WHERE CASE WHEN substr(t.value, 1, 1) = '/' THEN instr(',' || substr(t.value, 2) || ',', ',' || new.type || ',') = 0 ELSE instr(' ' || new.words, ' ' || t.value) = 0 END)));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_delete` AFTER DELETE ON `entries` WHEN old.kind = 1 AND NOT old.hidden BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || substr(word, 1, instr(word || ' ', ' ') - 1)) > 0 AND (instr(word, ' ') = 0 OR NOT EXISTS (SELECT 1 FROM json_each('["' || replace(word, ' ', '","') || '"]') AS t WHERE CASE WHEN substr(t.value, 1, 1) = '/' THEN instr(',' || substr(t.value, 2) || ',', ',' || old.type || ',') = 0 ELSE instr(' ' || old.words, ' ' || t.value) = 0 END)));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_update` AFTER UPDATE OF words, type, kind, hidden, name, meta_state ON `entries` WHEN old.words <> new.words OR old.type <> new.type OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3) BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE old.kind = 1 AND NOT old.hidden AND template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || substr(word, 1, instr(word || ' ', ' ') - 1)) > 0 AND (instr(word, ' ') = 0 OR NOT EXISTS (SELECT 1 FROM json_each('["' || replace(word, ' ', '","') || '"]') AS t WHERE CASE WHEN substr(t.value, 1, 1) = '/' THEN instr(',' || substr(t.value, 2) || ',', ',' || old.type || ',') = 0 ELSE instr(' ' || old.words, ' ' || t.value) = 0 END)));
  UPDATE `word_counts` SET n = n + 1 WHERE new.kind = 1 AND NOT new.hidden AND template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || substr(word, 1, instr(word || ' ', ' ') - 1)) > 0 AND (instr(word, ' ') = 0 OR NOT EXISTS (SELECT 1 FROM json_each('["' || replace(word, ' ', '","') || '"]') AS t WHERE CASE WHEN substr(t.value, 1, 1) = '/' THEN instr(',' || substr(t.value, 2) || ',', ',' || new.type || ',') = 0 ELSE instr(' ' || new.words, ' ' || t.value) = 0 END)));
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER `word_counts_update`;
DROP TRIGGER `word_counts_delete`;
DROP TRIGGER `word_counts_insert`;
DROP VIEW `word_counts_now`;
DELETE FROM `word_counts` WHERE `word_id` IN (SELECT `id` FROM `counted_words` WHERE instr(`word`, ' ') > 0);
DELETE FROM `counted_words` WHERE instr(`word`, ' ') > 0;
CREATE VIEW `word_counts_now` AS SELECT w.`id` AS `word_id`, (e.`meta_state` = 3 AND lower(substr(e.`name`, -14)) = '.template.json') AS `template`, count(*) AS `n` FROM `counted_words` w JOIN `entries` e ON e.`kind` = 1 AND NOT e.`hidden` AND instr(' ' || e.`words`, ' ' || w.`word`) > 0 GROUP BY 1, 2;
-- +goose StatementBegin
CREATE TRIGGER `word_counts_insert` AFTER INSERT ON `entries` WHEN new.kind = 1 AND NOT new.hidden BEGIN
  UPDATE `word_counts` SET n = n + 1 WHERE template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || word) > 0);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_delete` AFTER DELETE ON `entries` WHEN old.kind = 1 AND NOT old.hidden BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || word) > 0);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `word_counts_update` AFTER UPDATE OF words, kind, hidden, name, meta_state ON `entries` WHEN old.words <> new.words OR old.kind <> new.kind OR old.hidden <> new.hidden OR old.name <> new.name OR (old.meta_state = 3) <> (new.meta_state = 3) BEGIN
  UPDATE `word_counts` SET n = n - 1 WHERE old.kind = 1 AND NOT old.hidden AND template = (old.meta_state = 3 AND lower(substr(old.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || old.words, ' ' || word) > 0);
  UPDATE `word_counts` SET n = n + 1 WHERE new.kind = 1 AND NOT new.hidden AND template = (new.meta_state = 3 AND lower(substr(new.name, -14)) = '.template.json') AND word_id IN (SELECT id FROM counted_words WHERE instr(' ' || new.words, ' ' || word) > 0);
END;
-- +goose StatementEnd
