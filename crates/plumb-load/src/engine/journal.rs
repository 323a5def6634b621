//! Where does an engine report what happens to it while it works?

use std::sync::Arc;
use std::time::Duration;

use plumb_model::run::ConnectionState;
use plumb_model::statement::Statement;

/// What an engine reports while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum JournalEntry {
    /// A connection was lost or restored; `text` describes it, without the time. It happened `ago`.
    Connection {
        state: ConnectionState,
        text: Statement,
        ago: Duration,
    },
    /// Something that a reader of the figures should know.
    Remark(Statement),
}

/// Leads to the record. Writing never blocks.
#[derive(Clone)]
pub struct Journal(Arc<dyn Fn(JournalEntry) + Send + Sync>);

impl Journal {
    /// A journal whose entries go to `keep`, which must not block.
    pub fn new(keep: impl Fn(JournalEntry) + Send + Sync + 'static) -> Journal {
        Journal(Arc::new(keep))
    }

    /// The connection was lost or restored; `text` describes it, without the time.
    pub fn connection(&self, state: ConnectionState, text: Statement) {
        let ago = Duration::ZERO;
        (self.0)(JournalEntry::Connection { state, text, ago });
    }

    /// The connection is taken for lost now, and the last byte moved so long `ago`.
    pub fn lost(&self, text: Statement, ago: Duration) {
        let state = ConnectionState::Lost;
        (self.0)(JournalEntry::Connection { state, text, ago });
    }

    /// Something that a reader of the figures should know.
    pub fn remark(&self, text: Statement) {
        (self.0)(JournalEntry::Remark(text));
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Journal")
    }
}
