//! How are several sides measured together? In blocks of one round of each, in random order for each step, until the intervals are narrow or the time is up.

mod standing;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use plumb_analyse::compare::{Entrant, Settings, compare};
use plumb_load::copy::Copying;
use plumb_load::site::Admission;
use plumb_model::plan::{Order, Plan, shuffled};
use plumb_model::results::comparison::{Comparison, side_letter};
use plumb_model::run::{Run, SideOf};
use plumb_model::statement::Statement;
use plumb_model::units::Nanos;
use plumb_record::read_run;
use plumb_show::figure::clock_text;
use plumb_show::live::View;
use plumb_words::numbers::show_time_ns;

use plumb_words::Words;

use crate::Stop;
use crate::environment;
use crate::measurement::announce::{estimate, writing_text};
use crate::measurement::{
    Ongoing, OpenView, Outlook, SharedView, claim_folder, print_severe, random_number, shared,
    started,
};
use crate::named_plan::{main_choice, main_target};
use crate::notices::say;

/// Between two signs of life, where they are written line by line.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// One side that is to be measured.
pub struct LiveSide {
    /// What the progress calls it: `side B`, or a program or layer.
    pub name: String,
    pub plan: Plan,
    pub admission: Admission,
    /// What a program copies in each step, where the steps are copies; missing for load of plumb's own.
    pub copying: Option<Copying>,
}

/// What is to be compared live.
pub struct LiveRequest {
    pub sides: Vec<LiveSide>,
    /// Rounds of each side at least.
    pub rounds: u32,
    /// No block begins when it would probably end after this.
    pub budget: Nanos,
    pub settings: Settings,
    pub output: Option<PathBuf>,
    pub quiet: bool,
    pub tags: Vec<String>,
    /// The language of the live view.
    pub words: Words,
    /// Opens the view; missing: the one that fits standard error.
    pub view: Option<OpenView>,
}

/// A side while it is measured: here, or on another machine.
pub trait Side {
    /// Runs one step in one round. A step that cannot start is kept for the end.
    fn execute(&mut self, step: usize, round: u32, outlook: Outlook);

    /// Steps that could not run so far.
    fn failures(&self) -> &[String];

    /// Gives the targets back and closes the record. Returns what could not run. Errors: the record could not be written.
    fn end(self: Box<Self>) -> anyhow::Result<Vec<String>>;
}

impl Side for Ongoing<'_> {
    fn execute(&mut self, step: usize, round: u32, outlook: Outlook) {
        let reported_s = self.record.clock().now_ns() as f64 / 1e9;
        self.record.look_ahead(Outlook {
            reported_s,
            ..outlook
        });
        Ongoing::execute(self, step, round);
    }

    fn failures(&self) -> &[String] {
        Ongoing::failures(self)
    }

    fn end(self: Box<Self>) -> anyhow::Result<Vec<String>> {
        Ongoing::end(*self)
    }
}

/// Who measures sides that are not measured here.
pub trait Elsewhere {
    /// Begins side `number`, whose record goes to `folder`. `None`: it is measured here.
    fn begin<'e>(
        &'e self,
        number: usize,
        side: &LiveSide,
        header: SideOf,
        folder: &Path,
    ) -> Option<anyhow::Result<Box<dyn Side + 'e>>>;
}

/// All sides are measured here.
pub struct Nowhere;

impl Elsewhere for Nowhere {
    fn begin<'e>(
        &'e self,
        _: usize,
        _: &LiveSide,
        _: SideOf,
        _: &Path,
    ) -> Option<anyhow::Result<Box<dyn Side + 'e>>> {
        None
    }
}

/// What was measured.
pub struct Measured {
    /// The folder that holds the others.
    pub folder: PathBuf,
    /// The run folder of each side.
    pub runs: Vec<PathBuf>,
    pub interrupted: bool,
    /// Steps that could not run, each with its side.
    pub failures: Vec<String>,
}

/// Measures all sides. Errors: a side could not start, or its record could not be written.
pub fn measure_sides(request: &mut LiveRequest, stop: &Stop) -> anyhow::Result<Measured> {
    let name = request
        .sides
        .first()
        .map(|side| side.plan.name.clone())
        .unwrap_or_default();
    let (folder, made) = claim_folder(request.output.as_deref(), &format!("compare-{name}"))?;
    measure_sides_in(request, (folder, made), stop.flag(), &Nowhere)
}

/// The same in a folder that is there and empty, with the folders that were made for it; some sides may be measured elsewhere.
pub fn measure_sides_in(
    request: &mut LiveRequest,
    (folder, made): (PathBuf, Vec<PathBuf>),
    stop: &AtomicBool,
    elsewhere: &dyn Elsewhere,
) -> anyhow::Result<Measured> {
    let mut blocked_run = BlockedRun::prepare(request);
    // A copy test has announced itself before it made its trees.
    if !request.quiet && request.sides.iter().all(|side| side.copying.is_none()) {
        say(&blocked_run.announcement(request));
    }
    let runs: Vec<PathBuf> = (0..request.sides.len())
        .map(|side| folder.join(side_letter(side).to_lowercase()))
        .collect();
    let ended = blocked_run.run(request, &runs, stop, elsewhere);
    if ended.is_err() && blocked_run.blocks == 0 {
        // Nothing was measured: the headers of sides that were ready before another one failed are no runs. The folders were made a moment ago, and are ours.
        runs.iter()
            .for_each(|folder| drop(std::fs::remove_dir_all(folder)));
        made.iter()
            .for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    Ok(Measured {
        folder,
        runs,
        interrupted: stop.load(Ordering::Relaxed),
        failures: ended?,
    })
}

/// The way through the blocks.
struct BlockedRun {
    /// Draws the orders of sides and steps.
    seed: u64,
    /// Name of the comparison, the same in the records of all sides.
    id: String,
    /// Load of one block in seconds; missing when a step does not stop by time.
    block_s: Option<f64>,
    begun: Instant,
    /// Blocks that have begun.
    blocks: u32,
    /// How long those took that have ended, on average, in seconds: with all that is beside the load.
    seen_block_s: Option<f64>,
    /// How it stands, in a few words.
    standing: Option<Statement>,
    comparison: Option<Arc<Comparison>>,
    /// Progress is reported line by line.
    plain: bool,
    last_report: Instant,
}

impl BlockedRun {
    /// Settles what the plans leave open: the same seeds on all sides, so that they do the same work in the same order.
    fn prepare(request: &mut LiveRequest) -> BlockedRun {
        let seed = random_number();
        let mut block_s = Some(0.0);
        for side in &mut request.sides {
            // The comparison decides the number of rounds.
            (side.plan.rounds, side.plan.steady) = (1, None);
            side.plan.settle_seeds(seed);
            let round_s = side.plan.estimate(|_| Some(0)).duration_s;
            block_s = block_s.and_then(|sum: f64| Some(sum + round_s?));
            side.plan.rounds = request.rounds;
        }
        let now = Instant::now();
        BlockedRun {
            seed,
            id: format!("{seed:016x}"),
            block_s,
            begun: now,
            blocks: 0,
            seen_block_s: None,
            standing: None,
            comparison: None,
            plain: false,
            last_report: now,
        }
    }

    /// Blocks at most, as far as can be foreseen.
    fn most_blocks(&self, request: &LiveRequest) -> u32 {
        let within = self
            .block_s
            .filter(|block| *block > 0.0)
            .map(|block| request.budget.seconds() / block);
        within.map_or(request.rounds, |blocks| (blocks as u32).max(request.rounds))
    }

    fn announcement(&self, request: &LiveRequest) -> String {
        let mut lines = Vec::new();
        for (side, of) in request.sides.iter().enumerate() {
            // A target that is not visible from here fails when it is claimed.
            let environment = environment::glance(
                &main_target(&of.plan),
                &of.admission.login.secrets,
                &main_choice(&of.plan),
                &of.admission.login.stop,
            )
            .unwrap_or_default();
            lines.push(format!(
                "       {}: plan {} on {}; {}.",
                side_letter(side),
                of.plan.name,
                main_target(&of.plan),
                writing_text(&estimate(&of.plan, &environment))
            ));
        }
        let least = match self.block_s {
            Some(block) => {
                let all = block * f64::from(request.rounds);
                format!("load runs for at least {}", show_time_ns(all * 1e9))
            }
            None => {
                "the duration of a block depends on the targets: a step stops by bytes or operations"
                    .to_string()
            }
        };
        format!(
            "plumb: {} sides in interleaved blocks, in random order for each step; at least {} blocks; {least}, and continues until the intervals\n       are narrow, or for {} in total.\n{}",
            request.sides.len(),
            request.rounds,
            show_time_ns(request.budget.0 as f64),
            lines.join("\n")
        )
    }

    /// Runs all blocks. Returns what could not run.
    fn run(
        &mut self,
        request: &LiveRequest,
        folders: &[PathBuf],
        stop: &AtomicBool,
        elsewhere: &dyn Elsewhere,
    ) -> anyhow::Result<Vec<String>> {
        let mut sides: Vec<Box<dyn Side + '_>> = Vec::new();
        let view = match &request.view {
            Some(open) => open(),
            _ => View::choose(request.quiet, request.words),
        };
        // A line for every execution of every side would bury what matters: without a view that repaints itself there is a line for each block.
        self.plain = matches!(view, View::Plain(_));
        let view = shared(if self.plain { View::Quiet } else { view });
        for (number, (side, folder)) in request.sides.iter().zip(folders).enumerate() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: cannot create the run folder", folder.display()))?;
            let side_of = SideOf {
                comparison: self.id.clone(),
                side: number as u32,
                sides: request.sides.len() as u32,
            };
            sides.push(match elsewhere.begin(number, side, side_of, folder) {
                Some(begun) => {
                    begun.with_context(|| side_text(number, side, &request.sides[..number]))?
                }
                None => Box::new(self.begin(number, side, folder, request, view.clone(), stop)?),
            });
        }
        self.begun = Instant::now();
        while self.goes_on(request, stop) {
            self.blocks += 1;
            self.block(self.blocks - 1, &mut sides, request, stop);
            let enough = self.is_narrow(folders, request)?;
            self.seen_block_s = Some(self.begun.elapsed().as_secs_f64() / f64::from(self.blocks));
            if let Some(standing) = &self.standing {
                self.report(&request.words.sentence(standing), request);
            }
            if enough || sides.iter().any(|side| !side.failures().is_empty()) {
                break;
            }
        }
        let mut failures = Vec::new();
        for (number, side) in sides.into_iter().enumerate() {
            failures.extend(
                side.end()?
                    .into_iter()
                    .map(|failure| format!("side {}, {failure}", side_letter(number))),
            );
        }
        Ok(failures)
    }

    fn begin<'a>(
        &self,
        number: usize,
        side: &'a LiveSide,
        folder: &Path,
        request: &LiveRequest,
        view: SharedView,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Ongoing<'a>> {
        let environment = environment::examine(
            &main_target(&side.plan),
            &side.admission.login.secrets,
            &main_choice(&side.plan),
            &side.admission.login.stop,
        )?;
        let findings = plumb_analyse::judge_environment(&environment, Some(&side.plan));
        if !request.quiet {
            print_severe(&findings, request.words);
        }
        let (mut header, clock) = started(&side.plan, environment, findings, &request.tags);
        header.side_of = Some(SideOf {
            comparison: self.id.clone(),
            side: number as u32,
            sides: request.sides.len() as u32,
        });
        let mut ongoing = Ongoing::begin(
            &side.plan,
            &side.admission,
            (header, clock),
            folder,
            view,
            stop,
        )
        .with_context(|| side_text(number, side, &request.sides[..number]))?;
        ongoing.copying = side.copying.as_ref();
        Ok(ongoing)
    }

    /// Writes a line with the time passed and the time left at most, where lines are wanted.
    fn report(&mut self, text: &str, request: &LiveRequest) {
        if self.plain {
            let (spent_s, most_s) = (self.begun.elapsed().as_secs_f64(), self.most_s(request));
            // How long copies take is not known before they have run.
            let rest = if most_s > 0.0 {
                format!("; at most {} more", clock_text((most_s - spent_s).max(0.0)))
            } else {
                String::new()
            };
            say(&format!("{}: {text}{rest}", clock_text(spent_s)));
            self.last_report = Instant::now();
        }
    }

    /// Maximum duration in seconds: the budget, or the requested rounds, each as long as those before or, at first, as its load.
    fn most_s(&self, request: &LiveRequest) -> f64 {
        let block_s = self.seen_block_s.or(self.block_s).unwrap_or(0.0);
        request
            .budget
            .seconds()
            .max(block_s * f64::from(request.rounds))
    }

    fn goes_on(&self, request: &LiveRequest, stop: &AtomicBool) -> bool {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let spent_s = self.begun.elapsed().as_secs_f64();
        let next_s = self.seen_block_s.unwrap_or(0.0);
        self.blocks < request.rounds || spent_s + next_s <= request.budget.seconds()
    }

    /// One round of every side, step by step.
    fn block(
        &mut self,
        block: u32,
        sides: &mut [Box<dyn Side + '_>],
        request: &LiveRequest,
        stop: &AtomicBool,
    ) {
        let (steps, indices) = step_indices(&request.sides);
        let rounds = self.most_blocks(request);
        let most_s = self.most_s(request);
        for step in self.step_order(block, steps, &request.sides[0].plan) {
            for side in side_order(self.seed, step, block, sides.len()) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let Some(step) = indices[side].get(step).copied().flatten() else {
                    continue;
                };
                if block > 0 && request.sides[side].plan.steps[step].once {
                    continue;
                }
                let spent_s = self.begun.elapsed().as_secs_f64();
                let standing = self.standing.clone();
                let LiveSide { name, plan, .. } = &request.sides[side];
                let outlook = Outlook {
                    side: name.clone(),
                    standing,
                    comparison: self.comparison.clone(),
                    rounds,
                    spent_s,
                    most_s,
                    reported_s: 0.0,
                };
                sides[side].execute(step, block, outlook);
                if self.last_report.elapsed() >= REPORT_EVERY {
                    self.report(
                        &format!(
                            "block {}, {name}: {} done",
                            block + 1,
                            plan.steps[step].name
                        ),
                        request,
                    );
                }
            }
        }
    }

    /// The order of the steps within a block: drawn when the plan is shuffled, else that of the plan.
    fn step_order(&self, block: u32, steps: usize, plan: &Plan) -> Vec<usize> {
        let mut order: Vec<usize> = if plan.order == Order::Shuffled {
            let runs = plan.inseparable();
            let order = shuffled(
                self.seed ^ u64::from(block).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                runs.len(),
            );
            let known = order.into_iter().flat_map(|run| runs[run].clone());
            // The turns are those of the longest plan.
            known
                .chain(plan.steps.len()..steps)
                .filter(|step| *step < steps)
                .collect()
        } else {
            (0..steps).collect()
        };
        order.sort_by_key(|step| plan.steps.get(*step).is_none_or(|step| !step.once));
        order
    }

    /// Compares the rounds so far; reports the standing and whether it is sufficient.
    fn is_narrow(&mut self, folders: &[PathBuf], request: &LiveRequest) -> anyhow::Result<bool> {
        if self.blocks < 2 {
            return Ok(false);
        }
        let runs: Vec<Run> = folders
            .iter()
            .map(|folder| read_run(folder))
            .collect::<Result<_, _>>()?;
        let entrants: Vec<Entrant> = runs
            .iter()
            .enumerate()
            .map(|(side, run)| Entrant::Run {
                label: side_letter(side),
                run,
            })
            .collect();
        let comparison = compare(&entrants, &request.settings);
        self.standing = Some(if request.sides.len() > 1 {
            standing::of(&comparison, self.blocks)
        } else {
            Statement::new("blocks-done").count("count", self.blocks.into())
        });
        let is_narrow = self.blocks >= request.rounds && standing::all_narrow(&comparison);
        self.comparison = (request.sides.len() > 1).then(|| Arc::new(comparison));
        Ok(is_narrow)
    }
}

/// The side for an error while it begins. Each side holds its targets from the first block to the last: two cannot hold one file or device that is written.
fn side_text(number: usize, side: &LiveSide, before: &[LiveSide]) -> String {
    let target = main_target(&side.plan);
    let same = before
        .iter()
        .position(|other| main_target(&other.plan) == target);
    let hint = same.map(|other| {
        format!(
            ", on the same target as side {}: two sides cannot hold one file or device that is written; name a directory, where each gets files of its \
             own, or run each plan by itself and compare the stored runs",
            side_letter(other)
        )
    });
    format!(
        "side {} ({target}){}",
        side_letter(number),
        hint.unwrap_or_default()
    )
}

/// Which step of each side has its turn when: of a side whose names all stand in the longest plan those of the same name, else those of the same number.
/// Returns the number of turns, and for each side the index of its step in each turn.
fn step_indices(sides: &[LiveSide]) -> (usize, Vec<Vec<Option<usize>>>) {
    let names = |side: &LiveSide| -> Vec<String> {
        side.plan
            .steps
            .iter()
            .map(|step| step.name.clone())
            .collect()
    };
    let longest: Vec<String> = sides
        .iter()
        .map(names)
        .max_by_key(Vec::len)
        .unwrap_or_default();
    let of = |side: &LiveSide| {
        let own = names(side);
        let known = own.iter().all(|name| longest.contains(name));
        let index_of = |(turn, name): (usize, &String)| {
            if known {
                own.iter().position(|other| other == name)
            } else {
                Some(turn).filter(|turn| *turn < own.len())
            }
        };
        longest.iter().enumerate().map(index_of).collect()
    };
    (longest.len(), sides.iter().map(of).collect())
}

/// The order of the sides in one block for one step: drawn for each pair of blocks, and turned round in the second of them (A B B A), so that a steady drift touches
/// all sides alike.
fn side_order(seed: u64, step: usize, block: u32, sides: usize) -> Vec<usize> {
    let pair = u64::from(block / 2);
    let mut order = shuffled(
        seed ^ pair.wrapping_mul(0xd6e8_feb8_6659_fd93)
            ^ (step as u64).wrapping_mul(0xa076_1d64_78bd_642f),
        sides,
    );
    if block % 2 == 1 {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_blocks_are_a_b_b_a_and_both_orders_occur() {
        let mut first = [0, 0];
        for seed in 0..200 {
            for step in 0..3 {
                let (one, two) = (side_order(seed, step, 0, 2), side_order(seed, step, 1, 2));
                assert_eq!(one.iter().rev().copied().collect::<Vec<_>>(), two);
                first[one[0]] += 1;
            }
        }
        assert!(
            first.iter().all(|count| (240..360).contains(count)),
            "{first:?}"
        );
        assert_ne!(
            (0..20)
                .map(|block| side_order(7, 0, 2 * block, 2)[0])
                .sum::<usize>()
                % 20,
            0,
            "every pair of blocks is drawn anew"
        );
    }
}
