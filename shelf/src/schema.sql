-- The schema of a shelf, version 1, which schema_2.sql and schema_3.sql go on. docs/manual/shelf.md describes it for readers.

-- Facts about the shelf: `indexed` is the highest id of a game whose positions are in the index, `change` the highest id
-- that a change had.
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- The boards: a variant on a size with its options. `name` begins every key.
CREATE TABLE boards (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    variant TEXT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    -- Options of the variant, a JSON object.
    options TEXT NOT NULL,
    -- The number of games on it.
    games INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE events (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE rules (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- The files that games came from. `games` of them are in the shelf or in `problems`.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    -- The first 8 bytes of the SHA-256 of the file, and the game that the user named for it, such as
    -- "renju BoardHeight=15 BoardWidth=15"; empty if none.
    digest INTEGER NOT NULL,
    choice TEXT NOT NULL,
    games INTEGER NOT NULL,
    done INTEGER NOT NULL
);

-- The games that cannot be read.
CREATE TABLE problems (
    source INTEGER NOT NULL REFERENCES sources,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (source, number)
) WITHOUT ROWID;

CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    board INTEGER NOT NULL REFERENCES boards,
    -- The key of the moves, equal under symmetry.
    line INTEGER NOT NULL,
    first INTEGER REFERENCES players,
    second INTEGER REFERENCES players,
    event INTEGER REFERENCES events,
    -- The rules as the record names them, with the opening rule.
    rule INTEGER REFERENCES rules,
    round TEXT,
    -- YYYYMMDD; month and day are 00 where they are unknown. The text is in `headers`, if it says more.
    date INTEGER,
    -- 1 if the first player won, 0 for a draw, -1 if the second player won.
    result INTEGER,
    -- How it ended: line, forbidden, full, resigned, time, forfeit.
    ending TEXT,
    opening TEXT,
    -- 1 illegal move, 2 forbidden move, 4 goes on after its end, 8 wrong result, 16 rules not named, 32 ambiguous date.
    marks INTEGER NOT NULL,
    -- The number of moves until the board ended the game; NULL if it did not.
    ended INTEGER,
    -- Cells, row by row from the bottom left: a byte each, on boards of more than 256 cells two.
    moves BLOB NOT NULL,
    -- The moves from the first one that cannot be played, as they are written.
    rest TEXT,
    -- Stones set up before the first move, as a FEN.
    start TEXT,
    -- Other headers, a JSON object.
    headers TEXT,
    source INTEGER NOT NULL REFERENCES sources,
    -- The number of the game in its source, from 1.
    number INTEGER NOT NULL
);
CREATE INDEX games_line ON games (line, first, second);
CREATE INDEX games_first ON games (first) WHERE first IS NOT NULL;
CREATE INDEX games_second ON games (second) WHERE second IS NOT NULL;
CREATE INDEX games_event ON games (event) WHERE event IS NOT NULL;

-- The games that reached a position: all positions of up to 24 stones, and later ones that two games
-- reached.
CREATE TABLE occurrences (
    key INTEGER NOT NULL,
    game INTEGER NOT NULL,
    PRIMARY KEY (key, game)
) WITHOUT ROWID;

-- Counts by position, move and year, of the positions that two games reached. A position of one game
-- has its counts in the game. Move -1 counts the games that ended here, year 0 those without a date.
-- `last` is the date of the latest game, or 0.
CREATE TABLE counts (
    key INTEGER NOT NULL,
    move INTEGER NOT NULL,
    year INTEGER NOT NULL,
    games INTEGER NOT NULL,
    first_wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    second_wins INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (key, move, year)
) WITHOUT ROWID;

-- What engines think of a position, for the side to move, and what people say about it.
CREATE TABLE analysis (
    key INTEGER PRIMARY KEY,
    board INTEGER NOT NULL REFERENCES boards,
    -- The position in the orientation of its key, as a FEN.
    position TEXT NOT NULL,
    -- A score in centipawns, or the plies to the end: above 0 the side to move wins.
    cp INTEGER,
    mate INTEGER,
    -- exact, lower or upper.
    bound TEXT,
    depth INTEGER,
    nodes INTEGER,
    -- The best line, cells in the orientation of the key, a JSON array.
    line TEXT,
    engine TEXT,
    -- The time of the search, in seconds since 1970.
    at INTEGER,
    label TEXT,
    comment TEXT
);

-- Trees of variations with comments and labels: libraries of RenLib, and records with variations.
CREATE TABLE trees (
    id INTEGER PRIMARY KEY,
    board INTEGER NOT NULL REFERENCES boards,
    source INTEGER NOT NULL REFERENCES sources,
    number INTEGER NOT NULL,
    -- The game of its main line; NULL for a library.
    game INTEGER REFERENCES games,
    nodes INTEGER NOT NULL,
    -- The whole tree, as SGF.
    sgf TEXT NOT NULL
);
CREATE INDEX trees_game ON trees (game) WHERE game IS NOT NULL;
CREATE INDEX trees_source ON trees (source, number);
-- The moves of trees, whether they were played in a game or not.
CREATE TABLE tree_moves (
    key INTEGER NOT NULL,
    move INTEGER NOT NULL,
    tree INTEGER NOT NULL REFERENCES trees,
    -- The key of the position after the move.
    child INTEGER NOT NULL,
    -- The text on the point.
    label TEXT,
    PRIMARY KEY (key, move, tree)
) WITHOUT ROWID;
-- The comments of trees.
CREATE TABLE notes (
    key INTEGER NOT NULL,
    tree INTEGER NOT NULL REFERENCES trees,
    comment TEXT NOT NULL,
    PRIMARY KEY (key, tree)
) WITHOUT ROWID;

-- Games with names instead of numbers, for people.
CREATE VIEW named_games AS
SELECT games.id, boards.name AS board, first.name AS first, second.name AS second,
       events.name AS event, rules.name AS rule, round, date, result, ending, opening, marks,
       hex(moves) AS moves, sources.name AS source, number
FROM games JOIN boards ON boards.id = games.board JOIN sources ON sources.id = games.source
LEFT JOIN players AS first ON first.id = games.first
LEFT JOIN players AS second ON second.id = games.second
LEFT JOIN events ON events.id = games.event LEFT JOIN rules ON rules.id = games.rule;
