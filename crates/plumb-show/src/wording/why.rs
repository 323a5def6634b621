//! How are the account of a program's time and what would help said? On a terminal and on a page alike.

use plumb_model::explain::account::{
    DeviceUse, Gain, Part, Phase, ReadOrigin, RequestFigures, TimeAccount, Why,
};
use plumb_model::run::watch::CommandEnd;
use plumb_model::statement::{Statement, Unit};
use plumb_words::Words;

use super::sentence;

/// How long it took, how it ended, and its threads.
pub(crate) fn ended_text(why: &Why, words: Words) -> String {
    let span_ns = why.account.as_ref().map_or(0, |account| account.span_ns);
    let statement = match &why.end {
        None => Statement::new("why-span").quantity("elapsed", span_ns as f64, Unit::Nanoseconds),
        Some(end) => {
            let elapsed_ns = end.elapsed_ns as f64;
            match end.status {
                Some(status) => Statement::new("why-ended")
                    .quantity("elapsed", elapsed_ns, Unit::Nanoseconds)
                    .name("status", status.to_string()),
                None => Statement::new("why-ended-by-signal")
                    .quantity("elapsed", elapsed_ns, Unit::Nanoseconds)
                    .name("signal", end.signal.unwrap_or(0).to_string()),
            }
        }
    };
    let mut text = sentence(&statement, words);
    if let Some(account) = &why.account {
        let threads = Statement::new("why-threads").count("threads", account.threads_count);
        text += " · ";
        text += &sentence(&threads, words);
    }
    text
}

/// The calls behind a part.
pub(crate) fn calls_text(account: &TimeAccount, part: &Part, words: Words) -> String {
    let is_it = |of: &&RequestFigures| of.activity == part.activity && of.storage == part.storage;
    let mut found = account.requests.iter().filter(|of| of.count > 0);
    let Some(of) = found.find(is_it) else {
        return String::new();
    };
    let statement = match (of.p50_ns, of.p99_ns) {
        (Some(p50), Some(p99)) => Statement::new("why-waited")
            .count("waited", of.waited)
            .count("count", of.count)
            .quantity("p50", p50 as f64, Unit::Nanoseconds)
            .quantity("p99", p99 as f64, Unit::Nanoseconds),
        (Some(p50), None) => Statement::new("why-waited-median")
            .count("waited", of.waited)
            .count("count", of.count)
            .quantity("p50", p50 as f64, Unit::Nanoseconds),
        (None, _) => Statement::new("why-not-waited").count("count", of.count),
    };
    sentence(&statement, words)
}

/// What the program does most in a phase; `None` where it does nothing.
pub(crate) fn phase_text(phase: &Phase, words: Words) -> Option<String> {
    let most = phase.program.first()?;
    let statement = Statement::new("why-phase")
        .quantity("begin", phase.begin_ns as f64, Unit::Nanoseconds)
        .quantity("end", phase.end_ns as f64, Unit::Nanoseconds)
        .part("most", most.named())
        .percent("share", most.share * 100.0);
    Some(sentence(&statement, words))
}

/// A change and its factor; with the run time of a command that has ended.
pub(crate) fn gain_text(of: &Gain, end: Option<&CommandEnd>, words: Words) -> String {
    let change = sentence(&of.change, words);
    let factor = Statement::new("why-gain")
        .number("low", of.low)
        .number("high", of.high);
    let text = format!("{change}: {}", sentence(&factor, words));
    let Some(end) = end.filter(|_| of.low > 0.0 && of.high > 0.0) else {
        return text;
    };
    let now_ns = end.elapsed_ns as f64;
    let time = Statement::new("why-gain-time")
        .quantity("shortest", now_ns / of.high, Unit::Nanoseconds)
        .quantity("longest", now_ns / of.low, Unit::Nanoseconds)
        .quantity("now", now_ns, Unit::Nanoseconds);
    format!("{text} ({})", sentence(&time, words))
}

/// What a device did while the program ran.
pub(crate) fn device_text(of: &DeviceUse, words: Words) -> String {
    let load = &of.load;
    let requests = load.reads + load.writes;
    let bytes = load.read_bytes.saturating_add(load.write_bytes) as f64;
    let statement = match of.others_share {
        Some(others) => Statement::new("why-device-shared")
            .name("device", &load.device)
            .percent("busy", load.busy_share * 100.0)
            .count("requests", requests)
            .quantity("each", load.request_ns, Unit::Nanoseconds)
            .number("outstanding", load.outstanding)
            .quantity("bytes", bytes, Unit::Bytes)
            .percent("others", others * 100.0),
        None => Statement::new("why-device")
            .name("device", &load.device)
            .percent("busy", load.busy_share * 100.0)
            .count("requests", requests)
            .quantity("each", load.request_ns, Unit::Nanoseconds)
            .number("outstanding", load.outstanding)
            .quantity("bytes", bytes, Unit::Bytes),
    };
    let mut text = sentence(&statement, words);
    if load.flushes > 0 {
        let flushes = Statement::new("why-device-flushes")
            .count("flushes", load.flushes)
            .quantity("each", load.flush_ns, Unit::Nanoseconds);
        text = format!("{text} {}", sentence(&flushes, words));
    }
    if let Some(of) = &of.reads {
        text = format!("{text} {}", reads_text(of, words));
    }
    text
}

/// Where what a program read came from.
fn reads_text(of: &ReadOrigin, words: Words) -> String {
    let share = of.device_bytes as f64 / (of.bytes as f64).max(1.0);
    let statement = Statement::new("why-device-reads")
        .quantity("bytes", of.bytes as f64, Unit::Bytes)
        .count("count", of.count)
        .count("waited", of.waited)
        .quantity("device-bytes", of.device_bytes as f64, Unit::Bytes);
    let text = sentence(&statement, words);
    let meaning = if of.bytes == 0 {
        return text;
    } else if share < 0.5 {
        Statement::new("why-device-reads-cached")
    } else if share > 1.5 {
        Statement::new("why-device-reads-more")
    } else if share >= 0.9 && 2 * of.waited < of.count {
        Statement::new("why-device-reads-ahead")
    } else {
        return text;
    };
    format!("{text} {}", sentence(&meaning, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_compared_with_what_the_device_read() {
        let text = |count, waited, bytes, device_bytes| {
            let of = ReadOrigin {
                count,
                waited,
                bytes,
                device_bytes,
            };
            reads_text(&of, Words::english())
        };
        const MIB: u64 = 1 << 20;
        let ahead = text(3206, 15, 200 * MIB, 200 * MIB);
        assert_eq!(
            ahead,
            "Its 3,206 reads there returned 200 MiB; 15 waited. The device read 200 MiB for it. Most reads found their data read ahead."
        );
        for (count, waited, device_bytes, meaning) in [
            (100, 2, 0, "Most of it was in the page cache."),
            (100, 40, 49 * MIB, "Most of it was in the page cache."),
            (100, 2, 151 * MIB, "That is more than it requested"),
        ] {
            let text = text(count, waited, 100 * MIB, device_bytes);
            assert!(text.contains(meaning), "{text}");
        }
        // Half of it each, or each read waited for: nothing to add.
        for (waited, device_bytes) in [(2, 60 * MIB), (100, 100 * MIB), (100, 150 * MIB)] {
            let text = text(100, waited, 100 * MIB, device_bytes);
            assert!(text.ends_with("for it."), "{text}");
        }
        assert!(text(1, 1, 0, 4096).starts_with("Its 1 read there returned 0 B"));
    }
}
