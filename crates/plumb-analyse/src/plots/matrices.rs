//! How does a figure vary with two swept keys at once? One table for each group of steps that differ in exactly two keys.

use plumb_model::results::series::{Matrix, MatrixCell};
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::units::Bytes;

/// Keys of columns, in order of preference; the other key makes the rows.
const COLUMNS: [&str; 4] = ["depth", "rate", "block", "workers"];

/// The matrices, in the order of the plan. A combination that did not run is an empty cell.
pub fn matrices(summary: &Summary) -> Vec<Matrix> {
    let mut matrices: Vec<Matrix> = Vec::new();
    for step in &summary.steps {
        let keys: Vec<&String> = step.swept.keys().collect();
        let [first, second] = keys.as_slice() else {
            continue;
        };
        let preferred = COLUMNS.iter().find(|key| first == *key || second == *key);
        let column_key = preferred.map_or(second.as_str(), |key| *key);
        let row_key = if first.as_str() == column_key {
            second.as_str()
        } else {
            first.as_str()
        };
        let name = base_name(step);
        let known = matrices.iter().position(|matrix| {
            matrix.name == name && matrix.column_key == column_key && matrix.row_key == row_key
        });
        let index = known.unwrap_or_else(|| {
            matrices.push(Matrix {
                name,
                row_key: row_key.into(),
                column_key: column_key.into(),
                ..Matrix::default()
            });
            matrices.len() - 1
        });
        add(&mut matrices[index], step);
    }
    matrices.retain(|matrix| matrix.rows.len() > 1 && matrix.columns.len() > 1);
    for matrix in &mut matrices {
        sort(matrix);
        settle_unit(matrix);
    }
    matrices
}

/// The name without the swept values.
fn base_name(step: &StepSummary) -> String {
    let is_swept = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(key, value)| step.swept.get(key).is_some_and(|swept| swept == value))
    };
    step.name
        .split(' ')
        .filter(|word| !is_swept(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn add(matrix: &mut Matrix, step: &StepSummary) {
    let mut index = |key: &str, rows: bool| {
        let value = step.swept.get(key).cloned().unwrap_or_default();
        let values = if rows {
            &mut matrix.rows
        } else {
            &mut matrix.columns
        };
        values
            .iter()
            .position(|known| *known == value)
            .unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            })
    };
    let (row_key, column_key) = (matrix.row_key.clone(), matrix.column_key.clone());
    let (row, column) = (index(&row_key, true), index(&column_key, false));
    let cell = MatrixCell {
        step: step.step,
        iops: step.total.iops,
        bandwidth_bytes_per_s: step.total.bandwidth_bytes_per_s,
    };
    matrix.cells.resize_with(matrix.rows.len(), Vec::new);
    matrix
        .cells
        .iter_mut()
        .for_each(|cells| cells.resize(matrix.columns.len(), None));
    matrix.cells[row][column] = Some(cell);
}

/// Rows and columns in rising order, where all their values are numbers or sizes; else in that of the plan.
fn sort(matrix: &mut Matrix) {
    let order = |values: &[String]| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        let numbers: Option<Vec<u64>> = values
            .iter()
            .map(|value| value.parse::<Bytes>().ok().map(|bytes| bytes.0))
            .collect();
        if let Some(numbers) = numbers {
            order.sort_by_key(|index| numbers[*index]);
        }
        order
    };
    let (rows, columns) = (order(&matrix.rows), order(&matrix.columns));
    matrix.cells = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|column| matrix.cells[*row][*column].clone())
                .collect()
        })
        .collect();
    matrix.rows = rows.iter().map(|row| matrix.rows[*row].clone()).collect();
    matrix.columns = columns
        .iter()
        .map(|column| matrix.columns[*column].clone())
        .collect();
}

/// Bandwidth where the steps move data, else operations.
fn settle_unit(matrix: &mut Matrix) {
    let moves = matrix
        .cells
        .iter()
        .flatten()
        .flatten()
        .any(|cell| cell.bandwidth_bytes_per_s.is_some());
    matrix.unit = if moves { "bytes/s" } else { "operations/s" }.into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::figures;
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    #[test]
    fn steps_that_differ_in_two_keys_make_a_matrix_with_holes() {
        let of = |test: &str, size: &str, block: &str| {
            step(
                &format!("{test} size={size} block={block}"),
                test,
                &[("size", size), ("block", block)],
                Workload::default(),
            )
        };
        // Not in rising order: the matrix is.
        let cells = [
            ("64k", "64k"),
            ("64k", "4k"),
            ("128k", "4k"),
            ("128k", "64k"),
            ("128k", "128k"),
        ];
        let mut steps: Vec<_> = cells
            .iter()
            .flat_map(|(size, block)| [of("write", size, block), of("read", size, block)])
            .collect();
        steps.push(step(
            "other depth=1",
            "other",
            &[("depth", "1")],
            Workload::default(),
        ));
        let mut builder = Builder::new(steps);
        for number in 0..11 {
            builder.execute(
                number,
                0,
                &[Interval {
                    iops: f64::from(number + 1),
                    ..Interval::default()
                }],
            );
        }
        let found = matrices(&figures(&builder.finish()));
        assert_eq!(
            found
                .iter()
                .map(|matrix| matrix.name.as_str())
                .collect::<Vec<_>>(),
            ["write", "read"]
        );
        let write = &found[0];
        assert_eq!(
            (
                write.row_key.as_str(),
                write.column_key.as_str(),
                write.unit.as_str()
            ),
            ("size", "block", "bytes/s")
        );
        assert_eq!(
            (write.rows.as_slice(), write.columns.len()),
            (["64k".to_string(), "128k".to_string()].as_slice(), 3)
        );
        assert!(
            write.cells[0][2].is_none(),
            "a block of 128 KiB does not fit into 64 KiB"
        );
        let iops: Vec<f64> = write.cells[1]
            .iter()
            .filter_map(|cell| cell.as_ref()?.iops)
            .collect();
        assert_eq!(iops, [5.0, 7.0, 9.0]);
        assert_eq!(
            write.cells[0][0].as_ref().and_then(|cell| cell.iops),
            Some(3.0),
            "4k was second"
        );
    }
}
