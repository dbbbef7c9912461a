-- +goose Up
-- written by hand, and for PostgreSQL alone: the lock of paths (package gallery/intents) in one statement, so that it is held for no round trip
-- +goose StatementBegin
CREATE FUNCTION begin_intent(number bigint, owner text, change text, source text, target text, seen bigint, since bigint, mine bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  made bigint;
BEGIN
  PERFORM pg_advisory_xact_lock($1); -- the next statement sees what others have committed meanwhile
  IF EXISTS (
    SELECT FROM intents i, unnest(ARRAY[i.source, nullif(i.target, '')]) theirs, unnest(ARRAY[$4, nullif($5, '')]) ours
    WHERE i.seen >= $7 AND i.id <> ALL ($8)
      AND (theirs = ours OR theirs = '' OR ours = '' OR starts_with(theirs, ours || '/') OR starts_with(ours, theirs || '/'))
  ) THEN
    RETURN 0;
  END IF;
  INSERT INTO intents (owner, change, source, target, seen) VALUES ($2, $3, $4, $5, $6) RETURNING id INTO made;
  RETURN made;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION begin_intent(bigint, text, text, text, text, bigint, bigint, bigint[]);
