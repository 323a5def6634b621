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
        random: false,
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
        connections: 1,
        core_ns_per_call: 0.0,
        core_ns_per_byte: 0.0,
        credits: 512,
        slower_after: None,
        requests: 3000,
        seed,
    }
}

/// The same with small requests.
fn small(seed: u64, draw: &mut Draw) -> Scene {
    Scene {
        size: (2 << 10, 16 << 10),
        ..roomy(seed, draw)
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
    ("small requests", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(1, 3);
        Scene {
            threads,
            ..small(seed, draw)
        }
    }),
    ("small requests fill the slots", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 16);
        Scene {
            threads,
            slots: threads / 2,
            ..small(seed, draw)
        }
    }),
    ("small requests over a distance", |seed| {
        let draw = &mut Draw(seed);
        let times = draw.between(3.0, 8.0);
        let scene = small(seed, draw);
        Scene {
            threads: 2,
            round_trip_ns: scene.request_ns * times,
            ..scene
        }
    }),
    ("large requests", |seed| {
        let draw = &mut Draw(seed);
        let times = draw.between(2.0, 10.0);
        let scene = roomy(seed, draw);
        Scene {
            size: (512 << 10, 4 << 20),
            path_bytes_per_s: 2.3e6 * 1e9 / (scene.request_ns * times),
            ..scene
        }
    }),
    ("small requests at random", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(1, 8);
        Scene {
            threads,
            random: true,
            ..small(seed, draw)
        }
    }),
    ("small requests, application thinks", |seed| {
        let draw = &mut Draw(seed);
        let times = draw.between(3.0, 10.0);
        let scene = small(seed, draw);
        Scene {
            threads: 2,
            think_ns: scene.request_ns * times,
            ..scene
        }
    }),
    ("small requests on a full path", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 16);
        let scene = small(seed, draw);
        let bytes_per_s = 9216.0 * threads as f64 * 1e9 / scene.request_ns;
        Scene {
            threads,
            path_bytes_per_s: bytes_per_s * draw.between(0.2, 0.5),
            ..scene
        }
    }),
    ("one core, each byte", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(6, 16);
        let scene = roomy(seed, draw);
        let work = scene.request_ns / threads as f64 * draw.between(2.0, 6.0);
        Scene {
            threads,
            core_ns_per_byte: work / 40_960.0,
            ..scene
        }
    }),
    ("one core, each request", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(6, 16);
        let scene = roomy(seed, draw);
        Scene {
            threads,
            core_ns_per_call: scene.request_ns / threads as f64 * draw.between(2.0, 6.0),
            ..scene
        }
    }),
    ("one core over a distance", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(8, 24);
        let scene = roomy(seed, draw);
        let round_trip_ns = scene.request_ns * draw.between(2.0, 6.0);
        let alone = (scene.request_ns + round_trip_ns) / threads as f64;
        Scene {
            threads,
            round_trip_ns,
            core_ns_per_byte: alone * draw.between(1.5, 5.0) / 40_960.0,
            ..scene
        }
    }),
    ("a core half busy", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(4, 12);
        let scene = roomy(seed, draw);
        let work = scene.request_ns / threads as f64 * draw.between(0.3, 0.6);
        Scene {
            threads,
            core_ns_per_byte: work / 40_960.0,
            ..scene
        }
    }),
    ("one at a time, the core does the work", |seed| {
        let draw = &mut Draw(seed);
        let times = draw.between(10.0, 30.0);
        let scene = roomy(seed, draw);
        Scene {
            core_ns_per_call: scene.request_ns * times,
            ..scene
        }
    }),
    ("a core and few slots", |seed| {
        let draw = &mut Draw(seed);
        let threads = draw.count(8, 16);
        let slots = draw.count(1, 3);
        let scene = roomy(seed, draw);
        let work = scene.request_ns / slots as f64 * draw.between(0.4, 0.7);
        Scene {
            threads,
            slots,
            core_ns_per_byte: work / 40_960.0,
            ..scene
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
        Change::RequestBytes { from, to } => {
            let times = (to / from).round() as u64;
            scene.size = (scene.size.0 * times, scene.size.1 * times);
            // What the application does with the bytes takes as long for each of them.
            scene.think_ns *= times as f64;
        }
        Change::Connections { times } => {
            scene.connections = (scene.connections as f64 * times) as usize;
        }
    }
    scene
}

/// By what the change really changes the rate of requests; of larger requests, that of bytes.
pub fn true_factor(scene: &Scene, before: f64, change: &Change) -> f64 {
    let factor = simulate(&changed(scene, change)).requests_per_s / before;
    match *change {
        Change::RequestBytes { from, to } => factor * to / from,
        _ => factor,
    }
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
    let only_requests = scene.metadata_every == 0 && scene.flush_every == 0;
    if !scene.random && only_requests && scene.credits >= scene.threads {
        let mean = (scene.size.0 + scene.size.1) as f64 / 2.0;
        let change = Change::RequestBytes {
            from: mean,
            to: mean * 4.0,
        };
        changes.push(("requests_too_small", change));
    }
    if scene.core_ns_per_call + scene.core_ns_per_byte > 0.0 {
        changes.push(("one_core_is_busy", Change::Connections { times: 4.0 }));
    }
    changes.push(("distance", Change::NoRoundTrip));
    changes
}
