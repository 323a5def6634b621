//! Which steps of a run fill the grid of eight figures? Nothing is measured for it: a cell that no step fills is missing.

use plumb_model::results::grid::{GridAccess, GridCell, GridRow};
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::workload::{Offsets, OperationKind, Sync, Workload};

/// The rows of the grid, for a run that fills two of its cells or more: a single figure needs no grid.
pub(crate) fn grid(summary: &Summary) -> Vec<GridRow> {
    let rows = GridAccess::ALL.iter().map(|access| GridRow {
        access: *access,
        read: cell(summary, *access, OperationKind::Read),
        write: cell(summary, *access, OperationKind::Write),
    });
    let rows: Vec<GridRow> = rows.collect();
    let filled = rows
        .iter()
        .flat_map(|row| row.read.iter().chain(&row.write))
        .count();
    match filled >= 2 {
        true => rows,
        false => Vec::new(),
    }
}

/// The best of the steps that access the target so: the highest bandwidth in order, the most operations of the smallest block in random order.
fn cell(summary: &Summary, access: GridAccess, kind: OperationKind) -> Option<GridCell> {
    let cells: Vec<GridCell> = summary
        .steps
        .iter()
        .filter_map(|step| of_step(summary, step, access, kind))
        .collect();
    let is_random = matches!(access, GridAccess::RandomDeep | GridAccess::RandomOne);
    let smallest = cells.iter().map(|cell| cell.block_bytes).min()?;
    cells
        .into_iter()
        .filter(|cell| !is_random || cell.block_bytes == smallest)
        .max_by(|a, b| a.bandwidth_bytes_per_s.total_cmp(&b.bandwidth_bytes_per_s))
}

fn of_step(
    summary: &Summary,
    step: &StepSummary,
    access: GridAccess,
    kind: OperationKind,
) -> Option<GridCell> {
    let planned = summary.plan.steps.get(step.step as usize)?;
    let [job] = planned.jobs.as_slice() else {
        return None;
    };
    let depth = step.requested_depth?;
    if !is_plain(&job.workload, kind) || access_of(&job.workload, depth) != Some(access) {
        return None;
    }
    let figures = step.operations.get(kind.word())?;
    Some(GridCell {
        step: step.name.clone(),
        block_bytes: job.workload.largest_block_bytes(),
        depth,
        direct: step.engine_record.as_ref().and_then(|engine| engine.direct),
        bandwidth_bytes_per_s: figures.bandwidth_bytes_per_s.filter(|rate| *rate > 0.0)?,
        iops: figures.iops.filter(|rate| *rate > 0.0)?,
        mean_ns: figures.response_ns.mean,
    })
}

/// One kind of operation on blocks of one size, in a closed loop, without anything that makes each operation dearer.
fn is_plain(workload: &Workload, kind: OperationKind) -> bool {
    workload.mix.0.iter().all(|(item, _)| *item == kind)
        && workload.only_block().is_some()
        && workload.rate.is_none()
        && workload.sync == Sync::None
        && workload.fsync_every == 0
        && workload.replay.is_none()
        && workload.access.is_none()
        && workload.think_time.0 == 0
}

fn access_of(workload: &Workload, depth: f64) -> Option<GridAccess> {
    let is_deep = depth > 1.0;
    match (&workload.offsets, is_deep) {
        (Offsets::Sequential, true) => Some(GridAccess::SequentialDeep),
        (Offsets::Sequential, false) => Some(GridAccess::SequentialOne),
        (Offsets::Random | Offsets::RandomWithReplacement, true) => Some(GridAccess::RandomDeep),
        (Offsets::Random | Offsets::RandomWithReplacement, false) => Some(GridAccess::RandomOne),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::summarise;
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::units::Bytes;
    use plumb_model::workload::Weighted;

    fn grid_of(steps: &[(&str, Workload, f64)]) -> Vec<GridRow> {
        let planned = steps
            .iter()
            .map(|(name, workload, _)| step(name, name, &[], workload.clone()))
            .collect();
        let mut builder = Builder::new(planned);
        for (number, (.., iops)) in steps.iter().enumerate() {
            let interval = Interval {
                iops: *iops,
                ..Interval::default()
            };
            builder.execute(number as u32, 0, &[interval]);
        }
        summarise(&builder.finish()).grid
    }

    fn reads(offsets: Offsets, block_bytes: u64, depth: u32) -> Workload {
        Workload {
            offsets,
            block: Weighted(vec![(Bytes(block_bytes).into(), 1.0)]),
            depth,
            ..Workload::default()
        }
    }

    #[test]
    fn the_best_step_of_each_kind_fills_its_cell_and_the_rest_is_missing() {
        let grid = grid_of(&[
            ("few", reads(Offsets::Random, 4096, 8), 10_000.0),
            ("many", reads(Offsets::Random, 4096, 64), 90_000.0),
            ("large", reads(Offsets::Random, 1 << 20, 64), 5_000.0),
            ("one", reads(Offsets::Random, 4096, 1), 7_000.0),
        ]);
        let named: Vec<(GridAccess, Option<&str>)> = grid
            .iter()
            .map(|row| (row.access, row.read.as_ref().map(|cell| cell.step.as_str())))
            .collect();
        assert_eq!(
            named,
            [
                (GridAccess::SequentialDeep, None),
                (GridAccess::SequentialOne, None),
                (GridAccess::RandomDeep, Some("many")),
                (GridAccess::RandomOne, Some("one")),
            ]
        );
        assert!(grid.iter().all(|row| row.write.is_none()));
        assert_eq!(grid[3].read.as_ref().map(|cell| cell.iops), Some(7_000.0));
    }

    #[test]
    fn what_is_no_plain_load_and_a_single_figure_make_no_grid() {
        let synced = Workload {
            think_time: plumb_model::units::Nanos(1),
            ..reads(Offsets::Random, 4096, 8)
        };
        let zipf = reads(Offsets::Zipf(1.1), 4096, 8);
        let plain = reads(Offsets::Random, 4096, 8);
        for steps in [
            vec![("a", synced, 1e4), ("b", zipf, 1e4)],
            vec![("a", plain, 1e4)],
        ] {
            assert_eq!(grid_of(&steps), []);
        }
    }
}
