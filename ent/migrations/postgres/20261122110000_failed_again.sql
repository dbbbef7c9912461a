-- +goose Up
-- written by hand: state 2 no longer says that the bytes are broken, and pictures of over max-result-pixels got it; all are analysed again
UPDATE entries SET meta_state = 0, meta_tries = 0 WHERE meta_state = 2;

-- +goose Down
UPDATE entries SET meta_state = 2 WHERE meta_state = 4;
