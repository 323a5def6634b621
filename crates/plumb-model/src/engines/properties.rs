//! What does the rest of the program need to know of an engine, and of the targets that it serves?

use crate::workload::operation::OperationKind;

/// What an engine is like.
#[derive(Debug, Clone, Copy)]
pub struct EngineProperties {
    /// As it is named in plans, flags and records.
    pub name: &'static str,
    /// One sentence for help and reference.
    pub meaning: &'static str,
    /// Protocols that it speaks; empty for an engine of files and devices.
    pub schemes: &'static [SchemeProperties],
    /// It can hold several operations at once; others have a depth of 1 per worker.
    pub asynchronous: bool,
    /// Operations that are submitted at once, at most, unless the plan says otherwise; 1 for engines that are not asynchronous.
    pub batch: u32,
    /// What it can carry out.
    pub operations: &'static [OperationKind],
    /// `auto` takes it where it works; others are taken only by their name, or by an option that they alone have.
    pub by_auto: bool,
    /// It carries operations out; false: it only counts them, and shows how many the generator could make.
    pub does_work: bool,
    /// It goes through a mapping of the file: what it writes stays in the page cache until it is written back, and a kill may tear a sector.
    pub maps_files: bool,
    /// Single operations can have a priority of their own.
    pub request_priorities: bool,
    /// It can give each submission to the system by a call of its own, whose time is then told from that of the operation.
    pub submits_apart: bool,
    /// Why it cannot do direct I/O, as the rest of a sentence that begins with it; missing: it can.
    pub never_direct: Option<&'static str>,
    /// Several operations of one worker share a connection to the peer; false for engines of peers that have a connection for each worker.
    pub shares_connection: bool,
    /// Options that no other engine has, by their keys: who sets one asks for this engine. Their meaning and defaults are those of
    /// [`crate::workload::engine_choice::EngineChoice`].
    pub own_options: &'static [&'static str],
    /// Engines of fio that it stands for (`ioengine` of a job file); the first is the one that fio's output gets.
    pub fio: &'static [&'static str],
}

/// What a protocol of targets on the network is like.
#[derive(Debug, Clone, Copy)]
pub struct SchemeProperties {
    /// What stands before `://`.
    pub word: &'static str,
    /// What is meant by it.
    pub meaning: &'static str,
    /// The port that is meant when none is named.
    pub default_port: u16,
    /// What becomes of operations that come while the connection is lost.
    pub while_lost: WhileLost,
    /// Files lie there; false for a peer that exchanges messages or memory.
    pub is_share: bool,
    /// A peer lends memory that is read and written.
    pub lends_memory: bool,
    /// A user of it has a password.
    pub needs_password: bool,
    /// Why a connection is not tried before the run, as a clause; missing: it is.
    pub untried: Option<&'static str>,
    /// What to do when nobody answers.
    pub unreachable_remedy: &'static str,
}

/// What becomes of operations that come while a connection is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhileLost {
    /// They wait until it is there again: their response times hold the gap.
    Wait,
    /// They fail at once: the rate holds the gap, and no response time.
    Fail,
    /// There are none: it cannot be had again, and the step ends.
    End,
}

impl EngineProperties {
    /// It can carry this out.
    pub fn supports(&self, kind: OperationKind) -> bool {
        self.operations.contains(&kind)
    }

    /// It works on files and devices.
    pub fn is_local(&self) -> bool {
        self.schemes.is_empty()
    }

    /// It speaks the protocol of this word.
    pub fn supports_scheme(&self, scheme: &str) -> bool {
        self.schemes.iter().any(|of| of.word == scheme)
    }
}
