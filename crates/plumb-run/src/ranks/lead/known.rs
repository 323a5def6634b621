//! What does rank 0 know of a rank?

use std::time::Instant;

/// How far a rank has come.
#[derive(Debug)]
pub struct Known {
    pub last_message: Instant,
    /// Its files are in the state that the execution begins with.
    pub ready: bool,
    pub arrived: bool,
    pub ended: bool,
    pub lost: bool,
    /// It has closed the files that ranks share.
    pub let_go: bool,
    pub left: bool,
}

impl Known {
    /// A rank with a message now; `left` if nothing more is expected of it.
    pub fn new(left: bool) -> Known {
        Known {
            last_message: Instant::now(),
            ready: false,
            arrived: false,
            ended: false,
            lost: false,
            let_go: false,
            left,
        }
    }

    /// The next execution begins.
    pub fn begin(&mut self) {
        (self.ready, self.arrived, self.ended) = (false, false, false);
    }

    /// It is lost, or has handed in its record.
    pub fn is_gone(&self) -> bool {
        self.lost || self.left
    }
}
