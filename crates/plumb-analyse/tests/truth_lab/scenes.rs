//! Which scenes are judged? Families of scenes with one limit each, or two, drawn from seeds, and what is true of each: found by carrying out the change in the simulation.

use plumb_model::explain::conclusion::Change;
use plumb_model::trace::events::CallClass;

use crate::simulation::{Scene, simulate};

/// Scenes of each family.
pub const EACH: u64 = 8;
const MS: f64 = 1e6;

/// Draws of a scene's values.
struct Draw(u64);

impl Draw {
    fn share(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    /// Evenly by the logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.share())
    }

    fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.share() * (high - low + 1) as f64) as usize
    }
}

/// An application of one thread at a server with much room.
fn roomy(seed: u64, draw: &mut Draw) -> Scene {
    Scene {
        threads: 1,
        think_ns: 0.0,
        size: (16 << 10, 64 << 10),
        class: CallClass::Read,
        metadata_every: 0,
        metadata_calls: 0,
        flush_every: 0,
        slots: 64,
        request_ns: draw.between(0.5, 8.0) * MS,
        metadata_ns: 1.0 * MS,
        flush_ns: 5.0 * MS,
        spread: 0.1 + 0.5 * draw.share(),
        path_bytes_per_s: 1e9,
        round_trip_ns: 0.1 * MS,
        credits: 512,
        slower_after: None,
        requests: 3000,
        seed,
    }
}

/// A family: its name, and a scene of a seed.
pub type Family = (&'static str, fn(u64) -> Scene);

pub const FAMILIES: &[Family] = &[
    ("one at a time", |seed| {
        let draw = &mut Draw(seed);
        let slots = draw.count(8, 64);
        let little = draw.share() * 0.08;
        let scene = roomy(seed, draw);
        Scene {
            slots,
            think_ns: scene.request_ns * little,
            ..scene
        }
    }),
    ("one at a time, few slots", |seed| {
        let draw = &mut Draw(seed);
        let slots = draw.count(2, 7);
        Scene {
            slots,
            ..roomy(seed, draw)
        }
    }),
    ("two to four at a time", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(2, 4);
        let slots = draw.count(16, 64);
        let scene = roomy(seed, draw);
        Scene {
            threads,
            slots,
            think_ns: scene.request_ns * 0.12,
            ..scene
        }
    }),
    ("one at a time, server of one slot", |seed| Scene {
        slots: 1,
        ..roomy(seed, &mut Draw(seed))
    }),
    ("application thinks", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(1, 4);
        let times = draw.between(2.0, 20.0);
        let scene = roomy(seed, draw);
        Scene {
            threads,
            think_ns: scene.request_ns * times,
            ..scene
        }
    }),
    ("many threads think", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(8, 32);
        let times = draw.between(2.0, 6.0);
        let scene = roomy(seed, draw);
        Scene {
            threads,
            think_ns: scene.request_ns * times,
            ..scene
        }
    }),
    ("too many", |seed| {
        let draw = &mut Draw(seed);
        let (threads, slots) = (draw.count(32, 96), draw.count(1, 6));
        let scene = roomy(seed, draw);
        let think_ns = scene.request_ns * threads as f64 / slots as f64 * 0.4;
        Scene {
            threads,
            slots,
            think_ns,
            requests: 6000,
            ..scene
        }
    }),
    ("path is full", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 16);
        let scene = roomy(seed, draw);
        let bytes_per_s = 40_960.0 * threads as f64 * 1e9 / scene.request_ns;
        Scene {
            threads,
            path_bytes_per_s: bytes_per_s * draw.between(0.1, 0.5),
            ..scene
        }
    }),
    ("distance", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(1, 3);
        let times = draw.between(8.0, 40.0);
        let scene = roomy(seed, draw);
        let request_ns = scene.request_ns.min(2.0 * MS);
        Scene {
            threads,
            request_ns,
            round_trip_ns: request_ns * times,
            ..scene
        }
    }),
    ("metadata", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 16);
        let scene = roomy(seed, draw);
        let request_ns = scene.request_ns.min(1.0 * MS);
        Scene {
            threads,
            slots: threads,
            request_ns,
            metadata_every: 1,
            metadata_calls: draw.count(3, 6) as u32,
            metadata_ns: request_ns * draw.between(1.0, 4.0),
            ..scene
        }
    }),
    ("credits", |seed| {
        let draw = &mut Draw(seed);
        let credits = draw.count(2, 16);
        Scene {
            threads: 128,
            slots: 128,
            credits,
            ..roomy(seed, draw)
        }
    }),
    ("durability", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 12);
        let scene = roomy(seed, draw);
        Scene {
            threads,
            slots: threads,
            class: CallClass::Write,
            flush_every: draw.count(1, 2) as u32,
            flush_ns: scene.request_ns * draw.between(2.0, 8.0),
            ..scene
        }
    }),
    ("distance and metadata", |seed| {
        let draw = &mut Draw(seed);
        let scene = roomy(seed, draw);
        let request_ns = scene.request_ns.min(2.0 * MS);
        Scene {
            request_ns,
            round_trip_ns: request_ns * draw.between(10.0, 30.0),
            metadata_every: 1,
            metadata_calls: 3,
            metadata_ns: request_ns,
            ..scene
        }
    }),
    ("thinks and flushes", |seed| {
        let draw = &mut Draw(seed);
        let scene = roomy(seed, draw);
        Scene {
            class: CallClass::Write,
            flush_every: 1,
            flush_ns: scene.request_ns * 2.0,
            think_ns: scene.request_ns * draw.between(5.0, 12.0),
            ..scene
        }
    }),
    ("credits and a full path", |seed| {
        let draw = &mut Draw(seed);
        let credits = draw.count(6, 16);
        let scene = roomy(seed, draw);
        let bytes_per_s = 40_960.0 * credits as f64 * 1e9 / scene.request_ns;
        Scene {
            threads: 64,
            credits,
            path_bytes_per_s: bytes_per_s * 0.3,
            ..scene
        }
    }),
    ("as many as slots", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(2, 12);
        Scene {
            threads,
            slots: threads,
            ..roomy(seed, draw)
        }
    }),
    ("becomes slower", |seed| {
        let draw = &mut Draw(seed);
        let times = draw.between(2.0, 5.0);
        Scene {
            slower_after: Some((0.5, times)),
            ..roomy(seed, draw)
        }
    }),
    ("too short", |seed| Scene {
        requests: 30,
        ..roomy(seed, &mut Draw(seed))
    }),
];

/// Families of which nothing may be concluded.
pub const WITHHELD: [&str; 2] = ["becomes slower", "too short"];

/// The scene with this change; `None` where it has no such thing.
pub fn changed(scene: &Scene, change: &Change) -> Scene {
    let mut scene = scene.clone();
    scene.seed ^= 0x5eed;
    match *change {
        Change::Outstanding { from, to } => {
            let threads = scene.threads.min(scene.credits) as f64;
            // The number of threads in the same proportion as that of outstanding requests.
            scene.threads = (threads * to / from).round().max(1.0) as usize;
        }
        Change::NoPauses => scene.think_ns = 0.0,
        Change::NoMetadata => scene.metadata_every = 0,
        Change::NoRoundTrip => scene.round_trip_ns = 0.0,
        Change::Credits { times } => scene.credits = (scene.credits as f64 * times) as usize,
        Change::FlushesTogether { flushes } => {
            scene.flush_every = (f64::from(scene.flush_every) * flushes) as u32;
        }
    }
    scene
}

/// By what the change really changes the rate of requests.
pub fn true_factor(scene: &Scene, before: f64, change: &Change) -> f64 {
    simulate(&changed(scene, change)).requests_per_s / before
}

/// What each rule would change in this scene, by the rule's name, and the gain from which on it is a limit.
pub fn changes(scene: &Scene) -> Vec<(&'static str, Change)> {
    let few = scene.threads.min(scene.credits) as f64;
    let mut changes = Vec::new();
    // More threads of an application that thinks do more too, and not because the storage was waited for.
    if scene.think_ns < 0.5 * scene.request_ns {
        let to = if few == 1.0 { 8.0 } else { few * 4.0 };
        let change = Change::Outstanding { from: few, to };
        changes.push(("too_few_outstanding_requests", change));
    }
    if scene.think_ns > 0.0 {
        changes.push(("storage_waits_for_application", Change::NoPauses));
    }
    if scene.metadata_every > 0 {
        changes.push(("metadata", Change::NoMetadata));
    }
    if scene.flush_every > 0 {
        changes.push(("durability", Change::FlushesTogether { flushes: 4.0 }));
    }
    if scene.credits < scene.threads {
        changes.push(("flow_control", Change::Credits { times: 4.0 }));
    }
    changes.push(("distance", Change::NoRoundTrip));
    changes
}
