//! Do the sums of many ranks hold? Ranks as threads of this process, with messages through memory.

mod shared;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use plumb_load::site::Admission;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::Phase;
use plumb_model::run::{Event, Run};
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_record::read_run;

use super::message::{Hello, Message, VERSION};
use super::wire::{Wire, WireError};
use super::{OnLostRank, RanksRequest, measure};
use crate::Stop;
use crate::measurement::Request;

type Parcel = (u32, Vec<u8>);

/// Messages through memory. A rank that is cut off neither sends nor gets anything.
struct Memory {
    rank: u32,
    to: Vec<Sender<Parcel>>,
    inbox: Receiver<Parcel>,
    barrier: Arc<Barrier>,
    passed: Option<Receiver<()>>,
    cut_off: Arc<Mutex<Vec<u32>>>,
}

impl Memory {
    fn is_cut_off(&self, rank: u32) -> bool {
        self.cut_off.lock().expect("lock").contains(&rank)
    }
}

impl Wire for Memory {
    fn rank(&self) -> u32 {
        self.rank
    }
    fn size(&self) -> u32 {
        self.to.len() as u32
    }
    fn name(&self) -> String {
        "memory".into()
    }
    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), WireError> {
        if !self.is_cut_off(self.rank) && !self.is_cut_off(to) {
            let _ = self.to[to as usize].send((self.rank, message.to_vec()));
        }
        Ok(())
    }
    fn receive(&mut self) -> Result<Option<Parcel>, WireError> {
        Ok(self.inbox.try_recv().ok())
    }
    fn enter_barrier(&mut self) -> Result<(), WireError> {
        let (passed, is_passed) = channel();
        let barrier = self.barrier.clone();
        std::thread::spawn(move || {
            barrier.wait();
            let _ = passed.send(());
        });
        self.passed = Some(is_passed);
        Ok(())
    }
    fn is_barrier_passed(&mut self) -> Result<bool, WireError> {
        Ok(self
            .passed
            .as_ref()
            .is_none_or(|passed| passed.try_recv().is_ok()))
    }
    fn close(self: Box<Self>, _: Duration) {}
}

/// Wires of so many ranks, and the list of those that are cut off.
fn wires(size: u32) -> (Vec<Memory>, Arc<Mutex<Vec<u32>>>) {
    let (to, inboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let barrier = Arc::new(Barrier::new(size as usize));
    let cut_off = Arc::<Mutex<Vec<u32>>>::default();
    let wire = |(rank, inbox)| Memory {
        rank: rank as u32,
        to: to.clone(),
        inbox,
        barrier: barrier.clone(),
        passed: None,
        cut_off: cut_off.clone(),
    };
    let wires = inboxes.into_iter().enumerate().map(wire).collect();
    (wires, cut_off)
}

fn request(target: &Path, keys: &[(&str, &str)], output: &Path) -> Request {
    let mut flags = vec![("target".to_string(), target.display().to_string())];
    flags.extend(
        keys.iter()
            .map(|(key, value)| (key.to_string(), value.to_string())),
    );
    let overrides = Overrides {
        set: Vec::new(),
        flags,
    };
    let plan = resolve(&PlanFile::ad_hoc(), &overrides, PlanKind::AdHoc).expect("plan");
    Request {
        admission: Admission::default(),
        output: Some(output.to_path_buf()),
        ..Request::quiet(plan)
    }
}

/// Measures with so many ranks; the run of all, and those of each.
fn run(size: u32, target: &str, keys: &[(&str, &str)], folder: &Path) -> (Run, Vec<Run>) {
    let output = folder.join("all.plumb");
    std::thread::scope(|scope| {
        for wire in wires(size).0 {
            let output = &output;
            scope.spawn(move || {
                let request = RanksRequest {
                    request: request(Path::new(target), keys, output),
                    join: Box::new(move || Ok(Box::new(wire))),
                    on_lost_rank: OnLostRank::Continue,
                    side: None,
                };
                measure(request, &Stop::new()).expect("measured");
            });
        }
    });
    let each = (0..size).map(|rank| {
        read_run(&output.join(format!("ranks/{rank:04}"))).expect("the record of a rank")
    });
    (
        read_run(&output).expect("the common record"),
        each.collect(),
    )
}

/// Operations and service times of a run, by phase.
fn totals(run: &Run) -> BTreeMap<String, (u64, u64, Histogram)> {
    let mut totals: BTreeMap<String, (u64, u64, Histogram)> = BTreeMap::new();
    for tick in &run.ticks {
        let total = totals.entry(tick.phase.to_string()).or_default();
        for kind in &tick.kinds {
            total.0 += kind.count;
            total.1 += kind.bytes;
            total.2.merge(&kind.service);
        }
    }
    totals
}

/// The same of several runs together.
fn pooled(runs: &[Run]) -> BTreeMap<String, (u64, u64, Histogram)> {
    let mut all: BTreeMap<String, (u64, u64, Histogram)> = BTreeMap::new();
    for (phase, (count, bytes, times)) in runs.iter().flat_map(totals) {
        let total = all.entry(phase).or_default();
        total.0 += count;
        total.1 += bytes;
        total.2.merge(&times);
    }
    all
}

#[test]
fn the_sums_of_many_ranks_are_exactly_those_of_each() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = [
        ("time", "400ms"),
        ("warm-up", "150ms"),
        ("interval", "100ms"),
        ("depth", "2"),
        ("think-time", "1ms"),
    ];
    let (all, each) = run(20, "null:", &keys, folder.path());
    let pooled = pooled(&each);
    assert!(pooled["measure"].0 > 0, "{pooled:?}");
    assert_eq!(totals(&all), pooled);
    // All ranks stand in each interval of the measured time, once it is added up.
    let mut ranks: BTreeMap<u64, u32> = BTreeMap::new();
    for tick in all.ticks.iter().filter(|tick| tick.phase == Phase::Measure) {
        let of = tick.ranks.expect("ranks");
        *ranks.entry(of.interval).or_default() += of.ranks;
    }
    assert!(
        ranks.values().take(3).all(|count| *count == 20),
        "{ranks:?}"
    );
    let ends = all.notes.iter().filter_map(|note| match &note.event {
        Event::RankEnded { end, .. } => Some(end),
        _ => None,
    });
    let ends: Vec<_> = ends.collect();
    assert_eq!(ends.len(), 20);
    let of_ranks: u64 = ends.iter().map(|end| end.measured_operations).sum();
    assert_eq!(of_ranks, pooled["measure"].0);
    assert_eq!(
        all.header.ranks.as_ref().map(|ranks| ranks.places.len()),
        Some(20)
    );
}

/// The error of rank 0 for a second rank with this greeting, and the error of the second.
fn greeted(hello: Hello) -> (String, String) {
    let folder = tempfile::tempdir().expect("folder");
    let mut wires = wires(2).0;
    let mut second = wires.pop().expect("rank 1");
    let first = wires.pop().expect("rank 0");
    let output = folder.path().join("all.plumb");
    let led = std::thread::spawn(move || {
        let request = RanksRequest {
            request: request(Path::new("null:"), &[("time", "100ms")], &output),
            join: Box::new(move || Ok(Box::new(first))),
            on_lost_rank: OnLostRank::Continue,
            side: None,
        };
        let refused = measure(request, &Stop::new())
            .map(drop)
            .expect_err("refused");
        assert!(!output.exists(), "nothing is recorded");
        format!("{refused:#}")
    });
    let hello = serde_json::to_vec(&Message::Hello(Box::new(hello))).expect("text");
    second.send(0, &hello).expect("sent");
    let rank_error = loop {
        if let Ok(Some((0, message))) = second.receive()
            && let Ok(Message::Refused { reason }) = serde_json::from_slice(&message)
        {
            break reason;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    (led.join().expect("ended"), rank_error)
}

#[test]
fn a_rank_of_another_version_is_named_with_its_host_and_told_why() {
    let own = || Hello {
        version: VERSION,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        host: "hostb".into(),
        process: 7,
        plan: "another".into(),
        environment: None,
    };
    let others = [
        Hello {
            plumb_version: "99.0.0".into(),
            ..own()
        },
        Hello {
            version: VERSION + 1,
            ..own()
        },
    ];
    for hello in others {
        let named = format!("rank 1 on hostb runs plumb {}", hello.plumb_version);
        let (lead_error, rank_error) = greeted(hello);
        assert!(
            lead_error.contains(&named) && lead_error.contains("start the same plumb on all hosts"),
            "{lead_error}"
        );
        assert_eq!(lead_error, rank_error);
    }
    let (lead_error, _) = greeted(own());
    assert!(
        lead_error.contains("rank 1 on hostb has a different plan than rank 0"),
        "{lead_error}"
    );
}
