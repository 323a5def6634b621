//! Who has the agent's one place? A client, or the ranks of one measurement: two measurements at once would disturb each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The one place.
#[derive(Default)]
pub struct Place(Mutex<Held>);

#[derive(Default)]
enum Held {
    #[default]
    Free,
    Client,
    /// Name of the measurement, and how many of its ranks are here.
    Ranks(String, u32),
}

/// The place is taken; given back when it is dropped.
pub struct Taken<'p>(&'p Place);

impl Place {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place for a client, or for a rank of the measurement of this name; `None` while others have it.
    pub fn take(&self, rank_of: Option<&str>) -> Option<Taken<'_>> {
        let mut held = self.held();
        *held = match (&*held, rank_of) {
            (Held::Free, None) => Held::Client,
            (Held::Free, Some(of)) => Held::Ranks(of.to_string(), 1),
            (Held::Ranks(there, count), Some(of)) if there == of => {
                Held::Ranks(of.to_string(), count + 1)
            }
            _ => return None,
        };
        Some(Taken(self))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut held = self.0.held();
        *held = match &*held {
            Held::Ranks(of, count) if *count > 1 => Held::Ranks(of.clone(), count - 1),
            _ => Held::Free,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_one_measurement_share_the_place_and_nobody_else() {
        let place = Place::default();
        let (first, second) = (place.take(Some("one")), place.take(Some("one")));
        assert!(first.is_some() && second.is_some());
        assert!(place.take(Some("another")).is_none() && place.take(None).is_none());
        drop(first);
        assert!(place.take(None).is_none(), "one rank is still here");
        drop(second);
        let client = place.take(None);
        assert!(client.is_some() && place.take(None).is_none());
        assert!(place.take(Some("one")).is_none());
        drop(client);
        assert!(place.take(Some("another")).is_some());
    }
}
