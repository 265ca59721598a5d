//! The names of openings: the 26 openings of renju and the first moves of four in a row.
//!
//! A renju opening is the first three stones of a game: the first one on the centre of the board,
//! the second one next to it, the third one at most two steps from the centre. In a direct opening
//! the second stone is beside the centre, in an indirect one diagonally. The order of the stones
//! counts: D2 and I2 are the same stones placed in another order, and so are D6 and I6.
// CITE: https://en.wikipedia.org/wiki/Renju_opening_pattern

use tengen_engine::opening::OpeningName;
use tengen_engine::{Grid, GridNotation, Point, Position, Side};

/// A distance in columns and rows.
type Offset = (i32, i32);

/// A renju opening: the third stone, seen from the centre, and the name. The second stone is one
/// step up, in an indirect opening one step up and one to the right.
struct RenjuOpening(Offset, OpeningName);

macro_rules! renju {
    ($code:literal, $third:expr, $native:literal, $roman:literal, $en:literal, $zh:literal, $vi:literal, $ru:literal) => {
        RenjuOpening(
            $third,
            OpeningName {
                code: $code,
                native: Some($native),
                romanised: Some($roman),
                names: &[("en", $en), ("zh", $zh), ("ja", $native), ("vi", $vi), ("ru", $ru)],
            },
        )
    };
}

/// The number of direct openings. They come first.
const DIRECT: usize = 13;

#[rustfmt::skip]
const RENJU: [RenjuOpening; 26] = [
    renju!("D1", (0, 2), "寒星", "Kansei", "Cold Star", "寒星", "Hàn Tinh", "Холодная звезда"),
    renju!("D2", (1, 2), "渓月", "Keigetsu", "Valley Moon", "溪月", "Khê Nguyệt", "Луна в долине"),
    renju!("D3", (2, 2), "疎星", "Sosei", "Sparse Star", "疏星", "Sơ Tinh", "Редкая звезда"),
    renju!("D4", (1, 1), "花月", "Kagetsu", "Flower Moon", "花月", "Hoa Nguyệt", "Цветочная луна"),
    renju!("D5", (2, 1), "残月", "Zangetsu", "Remaining Moon", "残月", "Tàn Nguyệt", "Остаточная луна"),
    renju!("D6", (1, 0), "雨月", "Ugetsu", "Rain Moon", "雨月", "Vũ Nguyệt", "Дождливая луна"),
    renju!("D7", (2, 0), "金星", "Kinsei", "Golden Star", "金星", "Kim Tinh", "Золотая звезда"),
    renju!("D8", (0, -1), "松月", "Shōgetsu", "Pine Moon", "松月", "Tùng Nguyệt", "Сосновая луна"),
    renju!("D9", (1, -1), "丘月", "Kyūgetsu", "Hill Moon", "丘月", "Khâu Nguyệt", "Луна над холмом"),
    renju!("D10", (2, -1), "新月", "Shingetsu", "New Moon", "新月", "Tân Nguyệt", "Новая луна"),
    renju!("D11", (0, -2), "瑞星", "Zuisei", "Auspicious Star", "瑞星", "Thụy Tinh", "Счастливая звезда"),
    renju!("D12", (1, -2), "山月", "Sangetsu", "Mountain Moon", "山月", "Sơn Nguyệt", "Луна над горой"),
    renju!("D13", (2, -2), "遊星", "Yūsei", "Wandering Star", "游星", "Du Tinh", "Блуждающая звезда"),
    renju!("I1", (2, 2), "長星", "Chōsei", "Long Star", "长星", "Trường Tinh", "Длинная звезда"),
    renju!("I2", (2, 1), "峡月", "Kyōgetsu", "Gorge Moon", "峡月", "Hạp Nguyệt", "Луна в ущелье"),
    renju!("I3", (2, 0), "恒星", "Kōsei", "Fixed Star", "恒星", "Hằng Tinh", "Неподвижная звезда"),
    renju!("I4", (2, -1), "水月", "Suigetsu", "Water Moon", "水月", "Thủy Nguyệt", "Водяная луна"),
    renju!("I5", (2, -2), "流星", "Ryūsei", "Shooting Star", "流星", "Lưu Tinh", "Падающая звезда"),
    renju!("I6", (1, 0), "雲月", "Ungetsu", "Cloud Moon", "云月", "Vân Nguyệt", "Луна в облаках"),
    renju!("I7", (1, -1), "浦月", "Hogetsu", "Bay Moon", "浦月", "Phố Nguyệt", "Луна над заливом"),
    renju!("I8", (1, -2), "嵐月", "Rangetsu", "Storm Moon", "岚月", "Lam Nguyệt", "Луна в буре"),
    renju!("I9", (0, -1), "銀月", "Gingetsu", "Silver Moon", "银月", "Ngân Nguyệt", "Серебряная луна"),
    renju!("I10", (0, -2), "明星", "Myōjō", "Bright Star", "明星", "Minh Tinh", "Яркая звезда"),
    renju!("I11", (-1, -1), "斜月", "Shagetsu", "Slanting Moon", "斜月", "Tà Nguyệt", "Наклонная луна"),
    renju!("I12", (-1, -2), "名月", "Meigetsu", "Famous Moon", "名月", "Danh Nguyệt", "Прославленная луна"),
    renju!("I13", (-2, -2), "彗星", "Suisei", "Comet", "彗星", "Tuệ Tinh", "Комета"),
];

/// Returns the name of the opening of a game of five in a row; `None` before the third stone, and
/// for a game that does not begin with a renju opening.
pub(crate) fn renju(position: &dyn Position) -> Option<&'static OpeningName> {
    let notation = position.spec().grid.filter(|notation| !notation.falls())?;
    let grid = notation.grid();
    if grid.width().is_multiple_of(2) || grid.height().is_multiple_of(2) {
        return None;
    }
    let centre = tengen_engine::opening::centre(grid);
    let [first, second, third] = first_stones(position, notation, centre)?;
    let from_centre = |point: Point| {
        let offset = |at: u32, centre: u32| i64::from(at) - i64::from(centre);
        let (across, up) = (offset(point.column, centre.column), offset(point.row, centre.row));
        Some((i32::try_from(across).ok()?, i32::try_from(up).ok()?))
    };
    if from_centre(first)? != (0, 0) {
        return None;
    }
    let (second, third) = (from_centre(second)?, from_centre(third)?);
    let (openings, usual_second) = match (second.0.abs(), second.1.abs()) {
        (0, 1) | (1, 0) => (&RENJU[..DIRECT], (0, 1)),
        (1, 1) => (&RENJU[DIRECT..], (1, 1)),
        _ => return None,
    };
    let turned = |turn: usize, (x, y): Offset| {
        let (x, y) = if turn & 1 == 0 { (x, y) } else { (y, x) };
        (if turn & 2 == 0 { x } else { -x }, if turn & 4 == 0 { y } else { -y })
    };
    let mut thirds = (0..8).filter(|&turn| turned(turn, second) == usual_second);
    let named = thirds.find_map(|turn| {
        let third = turned(turn, third);
        openings.iter().find(|RenjuOpening(stone, _)| *stone == third)
    });
    named.map(|RenjuOpening(_, name)| name)
}

/// Returns the first three stones of a game: the moves of a game from the empty board, or the
/// stones of a position that was set up with three stones, the one on the `centre` first.
fn first_stones(
    position: &dyn Position,
    notation: GridNotation,
    centre: Point,
) -> Option<[Point; 3]> {
    let set_up = stones_at_start(position, notation.grid());
    let of = |side| set_up.iter().filter(move |(_, at)| *at == side).map(|(point, _)| *point);
    let stones: Vec<Point> = if set_up.is_empty() {
        let played = position.played().iter().take(3);
        played.filter_map(|mv| notation.point_of(*mv)).collect()
    } else {
        let last = of(Side::First).filter(|point| *point != centre);
        let first = of(Side::First).filter(|point| *point == centre);
        first.chain(of(Side::Second)).chain(last).collect()
    };
    let sides_fit = set_up.is_empty() || of(Side::First).count() == 2;
    stones.try_into().ok().filter(|_| sides_fit)
}

/// Returns the stones on the board before the first move.
fn stones_at_start(position: &dyn Position, grid: Grid) -> Vec<(Point, Side)> {
    let start = position.start();
    let points = grid.all().map(|cell| grid.point(cell));
    points.filter_map(|point| Some((point, start.stone(point)?))).collect()
}

macro_rules! column {
    ($code:literal, $en:literal, $zh:literal, $ja:literal, $vi:literal, $ru:literal) => {
        OpeningName {
            code: $code,
            native: None,
            romanised: None,
            names: &[("en", $en), ("zh", $zh), ("ja", $ja), ("vi", $vi), ("ru", $ru)],
        }
    };
}

/// The first moves of four in a row on seven columns, from the edge to the centre. The code is the
/// number of the column, counted from the nearer edge.
#[rustfmt::skip]
const COLUMNS: [OpeningName; 4] = [
    column!("1", "edge column", "边列", "端の列", "cột biên", "крайний столбец"),
    column!("2", "column next to the edge", "次边列", "端の隣の列", "cột kề biên", "столбец у края"),
    column!("3", "column next to the centre", "中央旁列", "中央の隣の列", "cột kề giữa", "столбец у центра"),
    column!("4", "centre column", "中央列", "中央の列", "cột giữa", "центральный столбец"),
];

/// Returns the name of the first move of four in a row; `None` before it, and for a position that
/// was set up.
pub(crate) fn first_column(position: &dyn Position) -> Option<&'static OpeningName> {
    let notation = position.spec().grid?;
    let columns = notation.grid().width();
    let is_from_start = stones_at_start(position, notation.grid()).is_empty();
    let first = notation.point_of(*position.played().first()?)?;
    let from_edge = first.column.min(columns - 1 - first.column);
    COLUMNS.get(from_edge as usize).filter(|_| columns == 7 && is_from_start)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tengen_engine::{Catalog, Chosen};

    use crate::CATALOG;

    fn name_of(variant: &str, moves: &str) -> Option<&'static str> {
        let mut position = CATALOG.position(&CATALOG.describe(variant, &Chosen::new()).unwrap());
        let moves: Vec<&str> = moves.split_whitespace().collect();
        position.play_all(&moves).unwrap();
        CATALOG.opening_name(&*position).map(|name| name.code)
    }

    #[test]
    fn each_of_the_184_legal_triples_is_one_of_26_openings() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for second in ["g7", "g8", "g9", "h7", "h9", "i7", "i8", "i9"] {
            for column in 'f'..='j' {
                for row in 6..=10 {
                    let third = format!("{column}{row}");
                    if third == "h8" || third == second {
                        continue;
                    }
                    let name = name_of("renju", &format!("h8 {second} {third}"));
                    *counts
                        .entry(name.unwrap_or_else(|| panic!("{second} {third}")))
                        .or_default() += 1;
                }
            }
        }
        assert_eq!(counts.len(), 26);
        let on_axis = ["D1", "D8", "D11", "I1", "I11", "I13"];
        for (code, count) in counts {
            assert_eq!(count, if on_axis.contains(&code) { 4 } else { 8 }, "{code}");
        }
    }

    #[test]
    fn the_centre_and_the_order_of_the_stones_count() {
        assert_eq!(name_of("renju", "h8 h9 i10"), Some("D2"));
        assert_eq!(name_of("renju", "h8 i9 j9"), Some("I2"));
        assert_eq!(name_of("renju", "h8 h9 i10 a1 b1"), Some("D2"));
        for other in ["h8 h9", "i10 h9 h8", "h8 h10 h9", "h8 h9 k8", "a1 a2 a3"] {
            assert_eq!(name_of("renju", other), None, "{other}");
        }
        assert_eq!(name_of("freestyle20", "k10 k11 k12"), None);
        let spec = CATALOG.describe("renju", &Chosen::new()).unwrap();
        let mut set_up = CATALOG.position(&spec);
        set_up.set_up("15/15/15/15/15/8P6/7p7/7P7/15/15/15/15/15/15/15 b - - 0 2").unwrap();
        assert_eq!(CATALOG.opening_name(&*set_up).map(|name| name.code), Some("D2"));
    }

    #[test]
    fn the_first_move_of_four_in_a_row_has_a_name_for_each_column() {
        let names = ["1", "2", "3", "4", "5", "6", "7"].map(|column| name_of("cfour", column));
        assert_eq!(names, ["1", "2", "3", "4", "3", "2", "1"].map(Some));
        assert_eq!((name_of("cfour", ""), name_of("tictactoe", "a1")), (None, None));
    }
}
