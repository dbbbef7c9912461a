-- +goose Up
-- written by hand: ent knows neither triggers nor views.
-- What is counted may be a whole search: a word, more words, and types after a slash, with one space between them, as in `img jpg /jpeg,png`. A
-- server of the version before counts single words, as these triggers do too.
-- +goose StatementBegin
CREATE FUNCTION "search_finds"(words character varying, type character varying, search character varying) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT NOT EXISTS (SELECT 1 FROM unnest(string_to_array(search, ' ')) AS t WHERE CASE WHEN left(t, 1) = '/' THEN strpos(',' || substr(t, 2) || ',', ',' || type || ',') = 0 ELSE strpos(' ' || words, ' ' || t) = 0 END) $$;
-- +goose StatementEnd
CREATE OR REPLACE VIEW "word_counts_now" AS SELECT w."id" AS "word_id", entry_class(e."name", e."meta_state") = 1 AS "template", count(*) AS "n" FROM "counted_words" w JOIN "entries" e ON e."kind" = 1 AND NOT e."hidden" AND strpos(' ' || e."words", ' ' || split_part(w."word", ' ', 1)) > 0 AND (strpos(w."word", ' ') = 0 OR search_finds(e."words", e."type", w."word")) GROUP BY 1, 2;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, count(*) AS n FROM added GROUP BY 1, 2, 3, 4, 5) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, 1 AS one FROM counted_words w JOIN added e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || split_part(w.word, ' ', 1)) > 0 AND (strpos(w.word, ' ') = 0 OR search_finds(e.words, e.type, w.word))) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, -count(*) AS n FROM gone GROUP BY 1, 2, 3, 4, 5) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, -1 AS one FROM counted_words w JOIN gone e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || split_part(w.word, ' ', 1)) > 0 AND (strpos(w.word, ' ') = 0 OR search_finds(e.words, e.type, w.word))) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, class, type, sum(one)::bigint AS n FROM
    (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, 1 AS one FROM added UNION ALL SELECT parent_id, kind, hidden, entry_class(name, meta_state), type, -1 FROM gone) AS both_of_them
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(one) <> 0) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, 1 AS one FROM counted_words w JOIN added e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || split_part(w.word, ' ', 1)) > 0 AND (strpos(w.word, ' ') = 0 OR search_finds(e.words, e.type, w.word)) UNION ALL SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, -1 AS one FROM counted_words w JOIN gone e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || split_part(w.word, ' ', 1)) > 0 AND (strpos(w.word, ' ') = 0 OR search_finds(e.words, e.type, w.word))) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
DELETE FROM "word_counts" WHERE "word_id" IN (SELECT "id" FROM "counted_words" WHERE strpos("word", ' ') > 0);
DELETE FROM "counted_words" WHERE strpos("word", ' ') > 0;
CREATE OR REPLACE VIEW "word_counts_now" AS SELECT w."id" AS "word_id", entry_class(e."name", e."meta_state") = 1 AS "template", count(*) AS "n" FROM "counted_words" w JOIN "entries" e ON e."kind" = 1 AND NOT e."hidden" AND strpos(' ' || e."words", ' ' || w."word") > 0 GROUP BY 1, 2;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, count(*) AS n FROM added GROUP BY 1, 2, 3, 4, 5) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, 1 AS one FROM counted_words w JOIN added e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || w.word) > 0) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, -count(*) AS n FROM gone GROUP BY 1, 2, 3, 4, 5) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, -1 AS one FROM counted_words w JOIN gone e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || w.word) > 0) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION "entry_counts_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM entry_count_add(parent_id, kind, hidden, class, type, n) FROM (SELECT parent_id, kind, hidden, class, type, sum(one)::bigint AS n FROM
    (SELECT parent_id, kind, hidden, entry_class(name, meta_state) AS class, type, 1 AS one FROM added UNION ALL SELECT parent_id, kind, hidden, entry_class(name, meta_state), type, -1 FROM gone) AS both_of_them
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(one) <> 0) AS d;
  IF EXISTS (SELECT 1 FROM counted_words) THEN
    PERFORM word_count_add(word_id, template, n) FROM (SELECT word_id, template, sum(one)::bigint AS n FROM (SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, 1 AS one FROM counted_words w JOIN added e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || w.word) > 0 UNION ALL SELECT w.id AS word_id, entry_class(e.name, e.meta_state) = 1 AS template, -1 AS one FROM counted_words w JOIN gone e ON e.kind = 1 AND NOT e.hidden AND strpos(' ' || e.words, ' ' || w.word) > 0) AS both_of_them GROUP BY 1, 2 HAVING sum(one) <> 0 ORDER BY 1, 2) AS d;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION "search_finds"(character varying, character varying, character varying);
