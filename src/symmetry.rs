//! The symmetries of a board that do not change its rules, as maps from cell to cell.

use tengen_engine::Grid;

/// Returns the cell that each cell goes to, for each symmetry: eight of a square, four of a
/// rectangle, two where stones fall. The first one changes nothing.
pub(crate) fn symmetries(grid: Grid, falls: bool) -> Vec<Vec<u32>> {
    let (width, height) = (grid.width(), grid.height());
    let mut maps = Vec::new();
    for index in 0..8 {
        let (mirrored, upside_down, turned) = (index & 1 != 0, index & 2 != 0, index & 4 != 0);
        if (falls && (upside_down || turned)) || (turned && width != height) {
            continue;
        }
        let to = |cell| {
            let (column, row) = (grid.column(cell), grid.row(cell));
            let column = if mirrored { width - 1 - column } else { column };
            let row = if upside_down { height - 1 - row } else { row };
            if turned { column * width + row } else { row * width + column }
        };
        maps.push(grid.all().map(to).collect());
    }
    maps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_as_many_symmetries_as_its_form_and_gravity_allow() {
        for (width, height, falls, count) in
            [(3, 3, false, 8), (4, 3, false, 4), (7, 6, true, 2), (5, 5, true, 2)]
        {
            let grid = Grid::new(width, height).unwrap();
            let mut maps = symmetries(grid, falls);
            assert_eq!(maps[0], (0..width * height).collect::<Vec<_>>());
            for map in &maps {
                let mut cells = map.clone();
                cells.sort_unstable();
                assert_eq!(cells, maps[0], "every cell is the image of one cell");
            }
            maps.sort();
            maps.dedup();
            assert_eq!(maps.len(), count, "{width}x{height}");
        }
    }
}
