//! What does a trace of an application say? It is read as a stream, and counted as it is read.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::trace::TraceTally;
use plumb_model::trace::summary::TraceSummary;
use plumb_observe::captures::read_capture;

/// The summary of a capture of packets (pcap, pcapng); `-` is the standard input.
///
/// Errors: it cannot be read, is no capture, or holds no SMB.
pub fn of_capture(file: &Path) -> anyhow::Result<TraceSummary> {
    let shown = file.display();
    let input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(stdin().lock())
    } else {
        // A folder can be opened, and says only on reading what it is.
        if file.is_dir() {
            bail!("{shown} is a folder; --pcap wants a capture file");
        }
        Box::new(File::open(file).with_context(|| format!("{shown} cannot be opened"))?)
    };
    let mut tally = TraceTally::default();
    let facts = read_capture(input, &mut |event| tally.take(&event))
        .with_context(|| format!("{shown} cannot be used"))?;
    if facts.connections_count == 0 {
        let damage = match &facts.damage {
            Some(_) => "; the file is damaged or cut",
            None => "",
        };
        bail!(
            "no SMB in {shown}: none of its {} packets belongs to a connection that speaks SMB over TCP{damage}. \
             Capture with 'tcpdump -i any -w FILE port 445' while the application runs",
            facts.packets
        );
    }
    let summary = tally.summary(shown.to_string(), env!("CARGO_PKG_VERSION"), Some(facts));
    Ok(summary)
}
