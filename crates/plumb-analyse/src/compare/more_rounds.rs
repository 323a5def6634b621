//! How do two sides get enough rounds? Runs of plumb by running again, runs of another program by importing several results.

use plumb_model::results::comparison::{Comparison, side_letter};
use plumb_model::statement::Statement;

use crate::command_line::again;
use crate::compare::entrants::Entrant;
use crate::phrases::sentences;

/// Rounds suggested if there are too few.
const ENOUGH_ROUNDS: u64 = 6;

/// For each side the command line that measures it again with rounds enough.
pub(super) fn command_lines(entrants: &[Entrant]) -> Vec<Option<String>> {
    entrants
        .iter()
        .map(|entrant| again(entrant.run()?, &[("rounds", ENOUGH_ROUNDS.to_string())]))
        .collect()
}

/// What to do for rounds enough on both sides. `again`: for each side the command line that measures it so.
pub(super) fn advice(
    comparison: &Comparison,
    sides: [usize; 2],
    again: &[Option<String>],
) -> Statement {
    let program = |side: usize| {
        comparison
            .sides
            .get(side)
            .and_then(|side| side.program.as_deref())
    };
    let line = |side: usize| again.get(side).and_then(Option::as_deref);
    let each = |side: usize| {
        match (program(side), line(side)) {
            (Some(program), _) => {
                Statement::new("let-program-measure-side").name("program", program)
            }
            (None, Some(line)) => Statement::new("measure-side-by").name("command", line),
            (None, None) => Statement::new("measure-side"),
        }
        .name("side", side_letter(side))
        .count("rounds", ENOUGH_ROUNDS)
    };
    match (sides.map(program), sides.map(line)) {
        ([Some(one), Some(other)], _) if one == other => Statement::new("let-program-measure-both")
            .name("program", one)
            .count("rounds", ENOUGH_ROUNDS),
        ([None, None], [Some(one), Some(other)]) if one == other => {
            Statement::new("measure-both-by")
                .name("command", one)
                .count("rounds", ENOUGH_ROUNDS)
        }
        _ => sentences(sides.map(each)),
    }
}
