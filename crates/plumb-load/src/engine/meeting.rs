//! What do the engines of one job, or of one step, have in common? One session that the first of them opens, and the others join.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// A slot for one value that all engines of a job, or of a step, share in one execution: a session with a server, the control connection of a test.
#[derive(Default)]
pub struct Meeting(Mutex<Option<Arc<dyn Any + Send + Sync>>>);

impl Meeting {
    /// The common value; the first that comes makes it, the others wait for it.
    ///
    /// # Errors
    /// The error of `make`; the next caller tries again.
    pub fn join<T: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut common_slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(common) = common_slot
            .clone()
            .and_then(|common| common.downcast().ok())
        {
            return Ok(common);
        }
        let common = Arc::new(make()?);
        *common_slot = Some(common.clone());
        Ok(common)
    }
}

impl std::fmt::Debug for Meeting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meeting")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_makes_what_all_share() {
        let meeting = Meeting::default();
        assert_eq!(meeting.join(|| Err::<u32, _>("down")), Err("down"));
        assert_eq!(meeting.join(|| Ok::<u32, &str>(7)).as_deref(), Ok(&7));
        assert_eq!(meeting.join(|| Ok::<u32, &str>(8)).as_deref(), Ok(&7));
    }
}
