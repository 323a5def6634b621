//! What did an application ask for, and what took the time? A trace of it is read and shown.

pub mod arguments;
pub mod explain;
mod prove;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use plumb_run::derived::{check_page, write_page};
use plumb_run::traces::{Window, of_file};
use plumb_show::report::trace_html;
use plumb_show::terminal::trace_text;

use crate::commands::Outcome;
use crate::streams::{page, print, print_json, say, words};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  strace -f -ttt -T -o app.strace COMMAND\n  plumb trace app.strace\n  \
blktrace -d /dev/sda -o - | blkparse -i - | plumb trace -\n  tcpdump -i any -w app.pcap port 445            (while the application runs; as root, on the client)\n  \
plumb trace app.pcap\n\n\
Read are captures of SMB 2 and 3 over TCP (pcap, pcapng), logs of strace, what blkparse prints, and the CSV traces of MSR Cambridge, Alibaba and Tencent;\n\
which of them a file is, is seen by its content. What a trace does not tell (a time, a size, a file) is missing in the figures; what is damaged is left out and counted.\n\
Service time of a request of SMB is from its last byte to the last byte of its answer, where the capture was taken; what is encrypted is counted, and cannot be looked into.\n\
Packets may be cut at 256 bytes (tcpdump -s 256): the file is far smaller then, and requests that share a packet with an earlier one are lost; how many is said."
)]
pub struct TraceArguments {
    /// A trace: a capture, or what strace, blkparse or a collection of block traces wrote; '-' reads it from the standard input
    #[arg(value_name = "FILE", required_unless_present = "pcap")]
    pub file: Option<PathBuf>,
    /// A capture of SMB traffic: pcap or pcapng, as tcpdump, Wireshark and etl2pcapng write it; the same as FILE
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub pcap: Option<PathBuf>,
    /// Write a page with figures and tables to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the summary as JSON (`plumb schema trace`)
    #[arg(long)]
    pub json: bool,
}

/// `plumb trace`.
pub fn trace(arguments: &TraceArguments) -> anyhow::Result<Outcome> {
    let file = arguments.file.as_ref().or(arguments.pcap.as_ref());
    let file = file.context("a trace is wanted: plumb trace FILE")?;
    check_page(arguments.report.as_deref(), None)?;
    let summary = of_file(file, &Window::default())?;
    if let Some(page) = &arguments.report {
        write_page(page, &trace_html(&summary, words()))?;
        say(&format!("report: {}", page.display()));
    }
    if arguments.json {
        print_json(&summary)?;
    } else {
        print(&trace_text(&summary, page()))?;
    }
    Ok(Outcome::Done)
}
