//! Which step do the ranks carry out next? In the order of the plan, or as requested by a caller that measures other things in between.

use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use plumb_model::plan::Plan;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// This step, in this round.
    Turn(usize, u32),
    /// That is not known yet.
    Later,
    /// Nothing more.
    End,
}

/// Says what comes next.
pub trait Agenda {
    fn next(&mut self) -> Next;

    /// All ranks are ready for what comes next; `failures`: what could not run so far.
    fn done(&mut self, failures: &[String]);
}

/// The plan from its beginning to its end.
pub struct Scheduled(std::vec::IntoIter<(usize, u32)>);

impl Scheduled {
    pub fn of(plan: &Plan) -> Scheduled {
        Scheduled(plan.schedule().into_iter())
    }
}

impl Agenda for Scheduled {
    fn next(&mut self) -> Next {
        let next = self.0.next();
        next.map_or(Next::End, |(step, round)| Next::Turn(step, round))
    }

    fn done(&mut self, _: &[String]) {}
}

/// Steps as requested, until there are no more requests.
pub struct TurnQueue {
    pub turns: Receiver<(usize, u32)>,
    /// What could not run so far: once at the beginning, then after each turn.
    pub done: Sender<Vec<String>>,
}

impl Agenda for TurnQueue {
    fn next(&mut self) -> Next {
        match self.turns.try_recv() {
            Ok((step, round)) => Next::Turn(step, round),
            Err(TryRecvError::Empty) => Next::Later,
            Err(TryRecvError::Disconnected) => Next::End,
        }
    }

    fn done(&mut self, failures: &[String]) {
        // A caller without more requests does not listen either.
        let _ = self.done.send(failures.to_vec());
    }
}
