-- +goose Up
-- written by hand: the ends of words, from two characters on, follow the words, so that a search by prefix finds what is in the middle of a
-- word (gallery/words). Words of more than 32 characters have none.
UPDATE "entries" SET "words" = "words" || coalesce((SELECT ' ' || string_agg(DISTINCT substr(w, i), ' ') FROM unnest(string_to_array("words", ' ')) AS w, generate_series(2, length(w) - 1) AS i WHERE length(w) <= 32), '') WHERE "words" <> '';

-- +goose Down
-- the ends of words do no harm
SELECT 1;
