-- Schema 2 adds these tables.

-- What changed the shelf, the latest last: imports, merges, edits. An undo takes the last one back. A change that was taken
-- back has a number below 0, the last one the least, until the next change; its rows in `old_rows` make it again.
CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    -- When it began, in seconds since 1970.
    at INTEGER NOT NULL,
    -- What was done, such as "edit games: 12".
    what TEXT NOT NULL
);
-- The rows that a change added: those of the table `name` with ids from `low` to `high`. Moves and notes
-- of trees go with their trees.
CREATE TABLE added (
    change INTEGER NOT NULL REFERENCES changes,
    name TEXT NOT NULL,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    PRIMARY KEY (change, name, low)
) WITHOUT ROWID;
-- The rows that a change replaced or removed, as they were.
CREATE TABLE old_rows (
    id INTEGER PRIMARY KEY,
    change INTEGER NOT NULL REFERENCES changes,
    -- The table. "late" is none: the key is a game that left the index, the row lists the games that share its late positions.
    name TEXT NOT NULL,
    -- The columns of its key, a JSON array.
    key TEXT NOT NULL,
    -- All columns, a JSON array, with a BLOB in hexadecimal digits. NULL: the row was not there.
    row TEXT
);
CREATE INDEX old_rows_change ON old_rows (change);

-- Comments and labels that people wrote about positions in the shelf itself.
CREATE TABLE comments (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    board INTEGER NOT NULL REFERENCES boards,
    -- The position in the orientation of its key, as a FEN.
    position TEXT NOT NULL,
    label TEXT,
    comment TEXT,
    author TEXT,
    -- When it was written, in seconds since 1970.
    at INTEGER NOT NULL
);
CREATE INDEX comments_key ON comments (key);

-- Other names of players: `alias` means `name`.
CREATE TABLE aliases (alias TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
