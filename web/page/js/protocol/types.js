//! The types of the JSON protocol, made from `tengen schema` by `npm run make-types`. Nothing loads this module.

/** A score for the side to move: exactly one of these. @typedef {{ cp: number } | { win_in: number } | { loss_in: number }} Score */
/** A ranked move. @typedef {{ bound: 'exact' | 'lower' | 'upper', move: Move, pv: (Move)[], rank: number, score: Score, wdl?: Wdl | null }} Line */
/** A move in text. @typedef {string} Move */
/** Chances of the side to move to win, draw and lose, in per mille. @typedef {(number)[]} Wdl */
/** The name of a query: a text or a whole number. Replies repeat it as it is. @typedef {string | number} Id */
/** A board that is not the variant's usual one. @typedef {{ connect?: number | null, gravity?: boolean | null, height?: number | null, overline?: boolean | null, width?: number | null }} Board */
/** The limits of this server; null for no limit. @typedef {{ line_bytes: number, multi_pv: number, queue?: number | null, time_ms?: number | null }} Limits */
/** A proven result. @typedef {{ grounds: 'search' | 'book' | 'solver' | 'proof', move_proven?: boolean | null, plies?: number | null, text: string, winner?: 'first' | 'second' | null }} Proof */
/** What a side threatens, if it were to move. @typedef {{ complete: boolean, moves: ({ kind: string, line: (Move)[], move: Move, win_in?: number | null })[], side: 'first' | 'second', text: (string)[] }} Threats */
/** The kinds of errors. Their names are stable. @typedef {'bad_json' | 'too_large' | 'unknown_action' | 'bad_field' | 'duplicate_id' | 'unknown_variant' | 'bad_board' | 'bad_position' | 'bad_record' | 'bad_move' | 'unsupported' | 'not_exact' | 'forbidden' | 'unauthorized' | 'too_many' | 'unknown_session' | 'interrupted' | 'shutting_down' | 'no_memory' | 'internal'} Code */

/**
 * @typedef {object} Query
 * @property {string | null} [act] With `act`: a move, or an act of the opening.
 * @property {'analyze' | 'solve' | 'review' | 'position' | 'swap2' | 'opening' | 'read_record' | 'convert_record' | 'explore' | 'find' | 'read_game' | 'edit_games' | 'delete_games' | 'comment' | 'edit_tree' | 'undo' | 'redo' | 'changes' | 'make_room' | 'join_room' | 'room_act' | 'terminate' | 'terminate_all' | 'clear_cache' | 'query_version' | 'hello'} [action]
 * @property {string | (string)[] | null} [acts] What the players did so far: points, `swap`, `stay`, `two`, `ten` and numbers.
 * @property {string | null} [against] A part of the name of the opponent of `player`, or of any player.
 * @property {boolean | null} [all] Whether every move is scored.
 * @property {(string)[] | ({ moves: (string)[], side?: 'first' | 'second' | null, until_depth?: number | null })[] | null} [allow_moves] Only these moves are searched.
 * @property {'all' | (number)[] | null} [analyze_turns] The turns to search: the last one without a list.
 * @property {string | null} [author] Who writes the comment.
 * @property {(string)[] | ({ moves: (string)[], side?: 'first' | 'second' | null, until_depth?: number | null })[] | null} [avoid_moves] These moves are not searched.
 * @property {string | null} [base64] The bytes of the file in Base64, in place of `text`.
 * @property {number | null} [begins] The player who begins: 1 made the room, 2 is the friend.
 * @property {Board | null} [board] The board, where it is not the usual one.
 * @property {boolean | null} [book] Whether the opening book may answer.
 * @property {number | null} [change] The number of the change to take back. It must be the last one.
 * @property {any} [clock] A game clock in place of `time_ms`: the engine takes from it what suits the move.
 * @property {string | null} [comment] Text in a comment of the game, or in a comment about a position that it reached.
 * @property {boolean | null} [decide] Whether the engine decides for the player whose turn it is.
 * @property {number | null} [depth] Plies to search.
 * @property {'act' | 'ask' | 'decline' | 'resign' | 'leave'} [do] What the player does.
 * @property {string | null} [drawing] A drawing of a board, as other programs print it, in place of `fen`, `moves` and `sgf`: games that reached its position.
 * @property {number | null} [elo] How strong to play, as a rating.
 * @property {string | null} [encoding] The encoding of the file, in place of the one that it names.
 * @property {string | null} [event] A part of the name of the event.
 * @property {string | null} [fen] The position before the first move.
 * @property {string | null} [first] A part of the name of the first player.
 * @property {boolean | null} [fresh] Whether the table is emptied first.
 * @property {any} [game] Only the game with this number, from 1.
 * @property {(number)[]} [games] The numbers of the games in the shelf.
 * @property {{ date?: string | null, event?: string | null, first?: string | null, opening?: string | null, result?: string | null, round?: string | null, rules?: string | null, second?: string | null } | null} [headers] Their new headers. An empty text removes a header.
 * @property {Id} [id] The name of the query. Every reply repeats it.
 * @property {boolean | null} [include_board] Whether the reply has the board: its size and the options of the variant.
 * @property {boolean | null} [include_forbidden] Whether the answer has the forbidden points.
 * @property {boolean | null} [include_legal] Whether the answer has the legal moves.
 * @property {boolean | null} [include_moves] Whether the reply has the moves.
 * @property {boolean | null} [include_reasons] Whether good moves have a reason, too: a win, or that nothing is proven.
 * @property {boolean | null} [include_report] Whether `game` has a report to print.
 * @property {boolean | null} [include_sgf] Whether `game` has the record with comments.
 * @property {boolean | null} [include_svg] Whether `game` has a plot of the chances.
 * @property {boolean | null} [include_text] Whether the reply has a drawing in text.
 * @property {boolean | null} [include_threats] Whether the reply has the threats of both sides; not for sessions over a network.
 * @property {boolean | null} [include_variations] Whether better lines are variations of that record. Otherwise they stand in comments.
 * @property {boolean | null} [include_winning_line] Whether the reply has the line of stones that ended the game.
 * @property {boolean | null} [infinite] Only `terminate` ends the search, or the server's limit.
 * @property {string | null} [label] The label of the position. An empty text removes it.
 * @property {'en' | 'zh' | 'ja' | 'vi' | 'ru' | null} [language] The language of the comments.
 * @property {number | null} [last_change] The number of the last change that the client has seen, from a reply to `explore`; 0 if there was none. If the shelf was changed since, nothing is changed.
 * @property {number | null} [last_seq] The last message of it that came through.
 * @property {number | null} [level] How strong to play: 10 is full strength.
 * @property {number | null} [level_seed] Levels make other choices with another seed.
 * @property {number | null} [limit] The most games that are listed.
 * @property {number | null} [mate] A win within so many plies ends the search.
 * @property {number | null} [max_plies] The greatest number of moves.
 * @property {number | null} [min_plies] The least number of moves.
 * @property {'score' | 'outcome' | null} [mode] How much is proven.
 * @property {boolean | null} [more] Whether another part follows. Only the last part is answered.
 * @property {string | (string)[] | null} [moves] The moves from there.
 * @property {number | null} [multi_pv] How many moves are ranked.
 * @property {string | null} [name] The name of the file: its extension decides the format if the content is not clear.
 * @property {number | null} [nodes] Nodes over all threads.
 * @property {'plain' | 'drop' | 'column' | null} [notation] How moves are written in replies.
 * @property {number | null} [number] The number of the comment to change, from a reply to `explore`. Without it a comment is added.
 * @property {number | null} [offset] How many games are skipped. The latest game comes first.
 * @property {string | null} [opening] The code or the name of the opening, in any language or as in the record.
 * @property {string | null} [page] The address of the board, for the link and its QR code. An address of the own machine is replaced by one that other machines reach, if there is one.
 * @property {number | null} [part] The number of this part of the file, from 1. All parts have the `id` of the query.
 * @property {string | null} [pattern] A part of a board, anywhere and in any orientation: rows from the top with `/` between. `x` is a stone of the first player, `o` one of the second, `.` an empty point, `?` any point.
 * @property {string | null} [player] A part of the name of a player.
 * @property {(number)[] | null} [priorities] A priority for each of `analyze_turns`.
 * @property {number | null} [priority] Higher ones are searched first, within the session.
 * @property {number | null} [protocol] The version of the protocol that the client speaks.
 * @property {boolean | null} [remove] Whether the last move is removed, with all moves after it.
 * @property {0 | number | null} [report_every_ms] Milliseconds between reports; 0 for none.
 * @property {'first' | 'second' | 'draw' | null} [result] The result of the game.
 * @property {string | null} [resume] The session to resume.
 * @property {any} [room] A secret of the room.
 * @property {any} [rule] The opening rule: a name from `query_version`.
 * @property {string | null} [second] A part of the name of the second player.
 * @property {string | null} [sgf] A game record in place of `fen` and `moves`: its main line counts.
 * @property {string | null} [source] A part of the name of the file that the game comes from, without its folder.
 * @property {Id} [terminate_id] The query to end.
 * @property {string | null} [text] The file as text.
 * @property {number | null} [threads] Search threads; the server has a greatest number.
 * @property {number | null} [time_ms] Milliseconds from the start of the search.
 * @property {'sgf' | 'pgn' | 'psq' | 'lib' | 'moves'} [to] The format to write.
 * @property {string | null} [to_encoding] The encoding to write.
 * @property {number | null} [to_year] The last year; without it only `year` counts.
 * @property {string | null} [token] The server's token, where it wants one.
 * @property {number | null} [tree] The number of the tree, from a reply to `explore`.
 * @property {(number)[] | null} [turn_numbers] Only these turns of it.
 * @property {'none' | 'static' | 'search' | null} [values] Whether the answer has a value for every point.
 * @property {string | null} [variant] The variant: a name from `query_version`.
 * @property {boolean | null} [wdl] Whether replies have chances.
 * @property {'undo' | 'draw' | 'rematch' | null} [what] With `ask` and `decline`: the wish.
 * @property {boolean | null} [white_first] Whether the first stone is white.
 * @property {number | null} [year] The year, or the first of several.
 */

/**
 * @typedef {object} Reply
 * @property {{ date?: string | null, event?: string | null, first?: string | null, opening?: string | null, outcome?: 'first' | 'second' | 'draw' | null, result?: string | null, second?: string | null }} [about] The names of the players and what else the record says about the game.
 * @property {string} [action] `terminate` or `terminate_all`.
 * @property {(string)[]} [acts] What the players did, with the decision of the engine.
 * @property {Score} [after] The mover's score after the move.
 * @property {({ player: number, what: 'undo' | 'draw' | 'rematch' })[]} [asks] The open wishes.
 * @property {string | null} [base64] The bytes of the part in Base64, in place of `text`.
 * @property {Score} [before] The mover's score before the move.
 * @property {number | null} [begins] The player who begins: 1 made the room, 2 is the friend.
 * @property {any} [best] The move to play; null only if the game is over.
 * @property {any} [board] The board, if the game has one.
 * @property {'exact' | 'lower' | 'upper' | null} [bound] The kind of bound of `score`.
 * @property {(number)[] | null} [bounds] The least and the greatest `solver_score` that is possible, if the search ended early; absent if nothing is known.
 * @property {(number)[]} [chances] The first player's expected score in each turn, in per mille. A draw counts half.
 * @property {{ at: string, number: number, what: string } | null} [change] The change, or the one that was taken back; null if nothing changed.
 * @property {'three' | 'two' | 'stay' | 'swap'} [choice] The choice of the player to move.
 * @property {(string)[] | null} [chosen] The decision of the engine: the last ones of `acts`. Absent if it was not asked.
 * @property {{ base_ms: number, inc_ms?: number | null, per_move?: boolean | null } | null} [clock] The clock of the players.
 * @property {any} [code] The kind of warning.
 * @property {({ move: Move, solver_score?: number | null })[] | null} [columns] The score of every legal move, if the query requested `all`.
 * @property {(string)[]} [comments] The comments of people on the position.
 * @property {any} [count] The number of games, comments or trees that changed; null after `undo` and `redo`.
 * @property {number | null} [deadline_ms] The remaining milliseconds for running searches, while the server is shutting down.
 * @property {number | null} [decides] The player who acts next; null after the game.
 * @property {any} [depth] The depth of the last iteration, in plies.
 * @property {number} [draws] The number of draws.
 * @property {boolean} [edit] Whether the shelf can be changed: `edit_games`, `comment` and others.
 * @property {string} [encoding] The encoding of the record.
 * @property {boolean} [ended] Whether the room has ended: a day after the last act in it.
 * @property {'solved' | 'time' | 'nodes' | 'depth' | 'mate' | 'cap' | 'terminated' | 'drain' | 'over' | null} [ended_by] The reason why the search ended.
 * @property {string | null} [engine] The engine of the stored value; null if unknown.
 * @property {string} [fen] The position as a FEN.
 * @property {string | null} [field] The field that the warning is about; null if it is about the whole query.
 * @property {number} [first] The player who has the first side now: 1 or 2.
 * @property {({ move: Move, why: string })[] | null} [forbidden] The points on which the side to move may not play.
 * @property {string} [format] The name of the format of the record, such as `sgf` or `moves`.
 * @property {number | null} [found] The number of all games; null if they could not be counted or sorted.
 * @property {string} [friend] The secret of player 2.
 * @property {number} [game] The number of the game, from 1.
 * @property {number} [games] The number of games of the record.
 * @property {string | null} [git] The commit of the program; absent if unknown.
 * @property {'fine' | 'doubtful' | 'mistake' | 'blunder'} [grade] The grade of the move.
 * @property {number} [hash_mib] The size of each worker's table, in MiB.
 * @property {number} [hashfull] The used part of the table, in per mille.
 * @property {(boolean)[]} [here] Whether players 1 and 2 are connected.
 * @property {any} [id] The `id` of the query that this message answers.
 * @property {number | null} [input_line] The number of the line without a readable `id`, counted from 1 over all lines of the session; absent if the error has an `id` or is about no line.
 * @property {string} [key] The position's key: 16 hexadecimal digits.
 * @property {string | null} [label] The label of a person; null if there is none.
 * @property {string | null} [last] The date of the last game; null if unknown.
 * @property {number} [last_change] The number of the last change of the shelf; 0 if there is none.
 * @property {(number)[] | null} [left_ms] The remaining milliseconds of players 1 and 2; absent without a clock.
 * @property {(Move)[] | null} [legal] The legal moves.
 * @property {Limits} [limits] The limits of this server.
 * @property {{ board: { connect?: number | null, gravity: boolean, height: number, overline?: boolean | null, width: number }, comments: ({ text: string, turn_number: number })[], fen?: string | null, moves: (Move)[], opening?: any | null, times_ms: (number | null)[], variant: string } | null} [line] The main line; null if it cannot be played.
 * @property {any} [list] The games, the latest first.
 * @property {number} [losses] The number of games lost.
 * @property {any} [message] Why the main line cannot be played; null if it can.
 * @property {{ first: number, second: number }} [mistakes] The mistakes of each side.
 * @property {boolean} [more] Whether more games follow.
 * @property {Move} [move] The move.
 * @property {any} [moves] The ranked moves, best first.
 * @property {true} [no_results]
 * @property {any} [nodes] The number of nodes over all threads.
 * @property {number} [not_indexed] The number of games in the shelf that do not count yet, because an import goes on.
 * @property {'too_many' | 'time' | null} [not_listed] Why `found` is null: `too_many`, more than 20,000 games; `time`, the time was over. Else null.
 * @property {({ at?: string | null, author?: string | null, label?: string | null, number?: number | null, text?: string | null, tree?: number | null })[]} [notes] The comments and labels of people, with who wrote them and where they are.
 * @property {number} [nps] The number of nodes per second.
 * @property {any} [number] The number of the move, from 1.
 * @property {number} [on_board] The number of games on this board in the whole shelf.
 * @property {any} [opening] The opening of the game, if it has a name.
 * @property {({ games: number, move: Move, tree: boolean })[]} [other_orders] The other last moves that lead to the position, with games or trees that have them.
 * @property {'first' | 'second' | 'draw' | null} [outcome] The result of the game; null if the game is not over.
 * @property {number | null} [outcome_value] The final value for the first player; only in explicit trees.
 * @property {string} [own] The secret of player 1, who made the room.
 * @property {string | null} [page] The address of the board for the links; absent if the query has none.
 * @property {number} [part] The number of the part, from 1.
 * @property {boolean | null} [paused] True while the search is paused for other sessions.
 * @property {number | null} [player] Whose secret the query has; null for people who look on.
 * @property {Move | null} [ponder] The expected reply; null if unknown.
 * @property {number} [probe_hits] The number of hits of the book and of solvers.
 * @property {Proof | null} [proof] The proven result; null if nothing is proven.
 * @property {number} [protocol] The version of the protocol.
 * @property {(Move)[]} [pv] The best line.
 * @property {(string)[] | null} [qr] The QR code of the friend's link, row by row: `1` is dark. Absent if the query has no `page`.
 * @property {number} [queue_ms] The time in the queue, in milliseconds.
 * @property {{ by?: 'at_once' | 'fours' | 'threes' | 'search' | null, draw?: boolean | null, hold?: { made_by?: Move | null, point: Move } | null, key?: { kind: 'two_points' | 'four_three' | 'stacked' | 'forbidden_answer' | 'zugzwang', lines?: ((Move)[])[], move: Move, rule?: string | null, threats: (Move)[] } | null, kind: 'wins' | 'forbidden' | 'misses_win' | 'puts_below' | 'leaves_four' | 'leaves_three' | 'gives_up_threat' | 'allows_win' | 'was_lost' | 'draws' | 'quiet', line: (Move)[], lines?: ((Move)[])[], lost: number, plies?: number | null, points: (Move)[], rule?: string | null, side: 'first' | 'second', stops: (Move)[], text: string } | null} [reason] Why the move is bad; absent for a fine move.
 * @property {string | null} [report] A report in HTML.
 * @property {{ why: 'board' | 'resign' | 'time' | 'agreed', winner?: number | null } | null} [result] How the game ended; null if it is not over.
 * @property {number} [resume_s] The number of seconds that a session is kept after its connection is lost.
 * @property {boolean} [resumed] Whether an earlier session was resumed.
 * @property {number | null} [retry_after_ms] The number of milliseconds after which to try again; absent if that does not help.
 * @property {boolean} [rooms] Whether `make_room` is answered.
 * @property {any} [rule] The opening rule.
 * @property {string} [rules] The rules of the variant in a few words.
 * @property {boolean} [runs] Whether the clock of the player who acts next runs: from the friend's first visit on.
 * @property {any} [score] The score for the side to move.
 * @property {number} [seldepth] The length of the longest line, in plies.
 * @property {number} [seq] The number of the message, from the answer to `hello` on.
 * @property {string} [session] The name of the session, for `resume`.
 * @property {string | null} [sgf] The record with comments.
 * @property {boolean} [shelf] Whether `explore`, `find` and `read_game` are answered.
 * @property {'first' | 'second'} [side] The side that played the move.
 * @property {number | null} [solver_score] The score as `tengen solve` prints it; null if it was not proven within the limits.
 * @property {any | null} [step] The next step; null if the opening is over.
 * @property {string | null} [svg] A plot of the chances.
 * @property {Id | null} [terminate_id] The query that ended; absent for `terminate_all`.
 * @property {string | null} [text] The position as text, several lines.
 * @property {string | null} [then] The first move after the opening, if the decision found it.
 * @property {number} [threads] The maximum number of threads of a search.
 * @property {(Threats)[] | null} [threats] The threats of the side to move, then those of its opponent.
 * @property {number} [time_ms] The time of the search, in milliseconds.
 * @property {'first' | 'second'} [turn] The side to move.
 * @property {any} [turn_number] The turn: the number of moves before the position.
 * @property {(number)[] | null} [turn_numbers] The turns that the query named; absent for all turns.
 * @property {'answer' | 'report' | 'solution' | 'move' | 'game' | 'swap' | 'opening' | 'position' | 'record' | 'record_part' | 'explore' | 'find' | 'changed' | 'changes' | 'room_made' | 'room' | 'terminate' | 'terminate_all' | 'clear_cache' | 'version' | 'hello' | 'warning' | 'notice' | 'error'} [type]
 * @property {((Score | null)[])[] | null} [values] A score for each point, row by row from the top left; null where no move is legal.
 * @property {any} [variant] The variant.
 * @property {({ aliases?: (string)[], board?: (string)[], name: string, opening_rules?: (string)[], size?: { height: number, max: number, min: number, width: number } | null, summary: string })[]} [variants] The variants of the server.
 * @property {'wins' | 'does_not_win' | 'no_win_found'} [verdict] What is known about a win of the side to move.
 * @property {string} [version] The version of the program.
 * @property {string} [watch] The secret of people who look on.
 * @property {number} [watchers] How many people look on.
 * @property {Wdl | null} [wdl] The chances; null if the query did not request them.
 * @property {boolean | null} [white_first] Whether the first stone is white.
 * @property {(string)[] | null} [winning_line] The points of the line that ended the game; empty if no line ended it.
 * @property {number} [wins] The number of games won.
 * @property {number} [workers] The number of positions that are searched in parallel.
 * @property {({ draws: number, games: number, losses: number, wins: number, year?: number | null })[] | null} [years] The results by year; only in the output of `tengen shelf explore --by-year`.
 */

export {};
