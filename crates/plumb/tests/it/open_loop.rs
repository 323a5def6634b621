//! Is a target that stalls beyond the end of a step shown by the percentiles of an open loop, and by a finding? On a real file system that stalls.

use std::time::Duration;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::{measured, plumb_in};

/// From the hundredth read on each is answered 4 s late: at 100 a second that is from the first second on, and no place is free before the end at 2.5 s.
#[test]
fn what_was_due_and_never_submitted_counts_with_its_time() {
    let Some(faulty) = FaultFs::mount(Options {
        always_direct: true,
        ..Options::default()
    }) else {
        return;
    };
    std::fs::write(faulty.path().join("x"), vec![7u8; 1 << 20]).expect("written");
    let out = tempfile::tempdir().expect("a folder");
    faulty.inject(Fault::from(
        Call::Read,
        faulty.served(Call::Read) + 100,
        Effect::Delay(Duration::from_secs(4)),
    ));
    let line = format!(
        "run --target {} --pattern random-read --engine sync --workers 2 --rate 100 --time 2500ms --json --no-report --output out",
        faulty.path().join("x").display()
    );
    let summary = measured(plumb_in(out.path(), &line));
    let step = &summary["steps"][0];
    let never = step["unsubmitted"].as_u64().expect("an open loop");
    // 250 were due: what was submitted before the stall, two that were answered after the end, and the rest.
    assert!((140..=152).contains(&never), "{never}: {step}");
    let completed = step["service_ns"]["count"].as_u64().expect("a count");
    assert_eq!(
        step["response_ns"]["count"].as_u64().expect("a count"),
        250,
        "{step}"
    );
    assert_eq!(completed + never, 250, "{step}");
    // More than a third of all operations had waited for half a second and more.
    assert!(
        step["response_ns"]["p90"].as_f64().expect("a percentile") > 1e9,
        "{step}"
    );
    let findings = summary["findings"].as_array().expect("findings");
    let claim = findings
        .iter()
        .find(|finding| finding["rule"] == "rate_not_achieved")
        .expect("told")["claim"]["text"]
        .as_str()
        .expect("a text");
    assert!(
        claim.contains(
            "were due but never submitted: they are counted with the time they had waited"
        ),
        "{claim}"
    );
}
