//! What do threads do, and on which storage? Kinds by number, periods of them, and sums as parts of the time.

use plumb_model::explain::account::Part;
use plumb_model::trace::events::Activity;

/// Parts below this share are left out of lists of a thread.
pub(crate) const SHARE_MIN: f64 = 0.0005;

/// What a thread does, on which storage: a number in [`Kinds`].
pub(crate) type Kind = u16;
/// A kind and the storage that it concerns.
pub(crate) type KindOf = (Activity, Option<u16>);

/// All kinds that occur, in the order in which they first came; the first is what a thread does while nothing else is known.
#[derive(Debug)]
pub(crate) struct Kinds {
    all: Vec<KindOf>,
}

impl Kinds {
    pub fn new() -> Kinds {
        Kinds {
            all: vec![(Activity::Cpu, None)],
        }
    }

    /// What a thread does while nothing else is known.
    pub fn set_first(&mut self, kind: KindOf) {
        self.all[0] = kind;
    }

    /// The number of a kind that occurred.
    pub fn known(&self, kind: KindOf) -> Option<usize> {
        self.all.iter().position(|of| *of == kind)
    }

    pub fn number(&mut self, kind: KindOf) -> Kind {
        let known = self.all.iter().position(|of| *of == kind);
        let number = known.unwrap_or_else(|| {
            self.all.push(kind);
            self.all.len() - 1
        });
        // Activities times storages, of which there are at most as many as mounts.
        number as Kind
    }

    /// All that occurred.
    pub fn all(&self) -> impl Iterator<Item = KindOf> + '_ {
        self.all.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn of(&self, kind: Kind) -> KindOf {
        self.all
            .get(kind as usize)
            .copied()
            .unwrap_or((Activity::Other, None))
    }
}

/// A period of one thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Period {
    pub begin_ns: u64,
    pub end_ns: u64,
    pub lane: u32,
    pub kind: Kind,
}

/// Times by kind as parts of `span_ns`, most first.
pub(crate) fn parts(
    times_ns: &[f64],
    span_ns: u64,
    share_min: f64,
    name: &dyn Fn(Kind) -> (Activity, Option<String>),
) -> Vec<Part> {
    let mut parts: Vec<Part> = times_ns
        .iter()
        .enumerate()
        .filter(|(_, ns)| **ns > 0.0)
        .map(|(kind, ns)| {
            let (activity, storage) = name(kind as Kind);
            Part {
                activity,
                storage,
                ns: ns.round() as u64,
                share: ns / (span_ns as f64).max(1.0),
            }
        })
        .filter(|part| part.share >= share_min)
        .collect();
    parts.sort_by(|a, b| b.ns.cmp(&a.ns).then(a.activity.cmp(&b.activity)));
    parts
}
