-- Schema 3 adds these tables, and an index of games by their files.

-- The other files that have a game. The first one is in `games`.
CREATE TABLE other_sources (
    game INTEGER NOT NULL REFERENCES games,
    source INTEGER NOT NULL REFERENCES sources,
    -- The number of the game there.
    number INTEGER NOT NULL,
    PRIMARY KEY (game, source)
) WITHOUT ROWID;
CREATE INDEX other_sources_source ON other_sources (source);

-- The other names of a file: those of files with the same content.
CREATE TABLE other_names (
    source INTEGER NOT NULL REFERENCES sources,
    name TEXT NOT NULL,
    PRIMARY KEY (source, name)
) WITHOUT ROWID;

-- The games and trees that people edited: a corrected file does not replace them. `name` is the table, `games` or `trees`.
CREATE TABLE edited (
    name TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (name, id)
) WITHOUT ROWID;

-- Queries that people saved: the options of `find`, a JSON array.
CREATE TABLE queries (name TEXT PRIMARY KEY, options TEXT NOT NULL) WITHOUT ROWID;
