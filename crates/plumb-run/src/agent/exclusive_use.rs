//! Who uses the agent exclusively? A client, or the ranks of one measurement: concurrent measurements would disturb each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exclusive use of the agent.
#[derive(Default)]
pub struct ExclusiveUse(Mutex<Holder>);

#[derive(Default)]
enum Holder {
    #[default]
    Free,
    Client,
    /// Name of the measurement, and how many of its ranks are here.
    Ranks(String, u32),
}

/// The agent is in use; released on drop.
pub struct Taken<'p>(&'p ExclusiveUse);

impl ExclusiveUse {
    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the agent for a client, or for a rank of the measurement of this name; `None` while others use it.
    pub fn take(&self, rank_of: Option<&str>) -> Option<Taken<'_>> {
        let mut holder = self.holder();
        *holder = match (&*holder, rank_of) {
            (Holder::Free, None) => Holder::Client,
            (Holder::Free, Some(of)) => Holder::Ranks(of.to_string(), 1),
            (Holder::Ranks(there, count), Some(of)) if there == of => {
                Holder::Ranks(of.to_string(), count + 1)
            }
            _ => return None,
        };
        Some(Taken(self))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut holder = self.0.holder();
        *holder = match &*holder {
            Holder::Ranks(of, count) if *count > 1 => Holder::Ranks(of.clone(), count - 1),
            _ => Holder::Free,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_one_measurement_share_the_agent_and_no_others() {
        let slot = ExclusiveUse::default();
        let (first, second) = (slot.take(Some("one")), slot.take(Some("one")));
        assert!(first.is_some() && second.is_some());
        assert!(slot.take(Some("another")).is_none() && slot.take(None).is_none());
        drop(first);
        assert!(slot.take(None).is_none(), "one rank is still here");
        drop(second);
        let client = slot.take(None);
        assert!(client.is_some() && slot.take(None).is_none());
        assert!(slot.take(Some("one")).is_none());
        drop(client);
        assert!(slot.take(Some("another")).is_some());
    }
}
