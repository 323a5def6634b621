//! What did an application ask a server for, and what took the time? A capture is read and shown.

pub mod arguments;
pub mod explain;
mod prove;

use std::path::PathBuf;

use clap::Args;
use plumb_run::derived::{check_page, write_page};
use plumb_run::traces::of_capture;
use plumb_show::report::trace_html;
use plumb_show::terminal::trace_text;

use crate::commands::Outcome;
use crate::streams::{page, print, print_json, say, words};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tcpdump -i any -w app.pcap port 445            (while the application runs; as root, on the client)\n  \
plumb trace --pcap app.pcap\n  tcpdump -i any -U -w - port 445 | plumb trace --pcap -\n\n\
Service time is from the last byte of a request to the last byte of its answer, where the capture was taken. SMB 2 and 3 over TCP are read, on any port;\n\
what is encrypted is counted and said, and cannot be looked into. Packets may be cut at 256 bytes (tcpdump -s 256):\n\
the file is far smaller then, and requests that share a packet with an earlier one are lost; how many is said."
)]
pub struct TraceArguments {
    /// A capture of SMB traffic: pcap or pcapng, as tcpdump, Wireshark and etl2pcapng write it; '-' reads it from the standard input
    #[arg(long, value_name = "FILE")]
    pub pcap: PathBuf,
    /// Write a page with figures and tables to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the summary as JSON (`plumb schema trace`)
    #[arg(long)]
    pub json: bool,
}

/// `plumb trace`.
pub fn trace(arguments: &TraceArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let summary = of_capture(&arguments.pcap)?;
    if let Some(file) = &arguments.report {
        write_page(file, &trace_html(&summary, words()))?;
        say(&format!("report: {}", file.display()));
    }
    if arguments.json {
        print_json(&summary)?;
    } else {
        print(&trace_text(&summary, page()))?;
    }
    Ok(Outcome::Done)
}
