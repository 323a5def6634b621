//! What did an application ask for, and what took the time? A trace of it is read and shown.

pub mod arguments;
pub mod explain;
mod prove;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use plumb_model::trace::summary::TraceSummary;
use plumb_model::units::Nanos;
use plumb_run::derived::{check_page, write_page};
use plumb_run::traces::live::{LiveTrace, Means, Traced, live};
use plumb_run::traces::{Window, of_file, of_file_kept};
use plumb_show::report::trace_html;
use plumb_show::terminal::{Page, trace_text};
use plumb_words::numbers::count;

use crate::commands::Outcome;
use crate::outcome::stop;
use crate::streams::{page, print, print_json, say, words};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb trace -- rsync -a /data/ /mnt/share/     (its children too; as root by the kernel's tracepoints, else by strace)\n  plumb trace --pid 4711 --duration 30s\n  plumb trace --save app.calls -- COMMAND        (each call as a line of CSV; plumb trace app.calls, plumb replay app.calls TARGET)\n  strace -f -ttt -T -o app.strace COMMAND\n  plumb trace app.strace\n  \
wpr -start FileIO -filemode & wpr -stop app.etl & plumb trace app.etl --save app.csv    (on Windows, as administrator; app.csv is read on every system)\n  \
blktrace -d /dev/sda -o - | blkparse -i - | plumb trace -\n  tcpdump -i any -w app.pcap port 445            (while the application runs; as root, on the client)\n  \
plumb trace app.pcap\n\n\
A live trace ends with the command: what it has started and what goes on after it is not followed any further. Requests of io_uring are seen by tracepoints only, calls of 32-bit programs by strace only;\nwhat is left out is counted and said. strace stops the program twice at each call, tracepoints do not. On Windows operations on files are seen by the events of its kernel (ETW), as administrator; what mapped files and the cache read and write is counted only.\n\
Exit codes with COMMAND: 0 traced; 1 traced, and the command did not end with status 0; 2 not traced. What other programs wrote is read, too: captures of SMB 2 and 3 over TCP (pcap, pcapng), logs of strace, what blkparse prints, and the CSV traces of MSR Cambridge, Alibaba and Tencent;\n\
which of them a file is, is seen by its content. What a trace does not tell (a time, a size, a file) is missing in the figures; what is damaged is left out and counted.\n\
Service time of a request of SMB is from its last byte to the last byte of its answer, where the capture was taken; what is encrypted is counted, and cannot be looked into.\n\
Packets may be cut at 256 bytes (tcpdump -s 256): the file is far smaller then, and requests that share a packet with an earlier one are lost; how many is said."
)]
pub struct TraceArguments {
    /// A trace: a capture, what strace, blkparse or a collection of block traces wrote, or on Windows a recording of event tracing (.etl); '-' reads it from the standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["pid", "command"])]
    pub file: Option<PathBuf>,
    /// A capture of SMB traffic: pcap or pcapng, as tcpdump, Wireshark and etl2pcapng write it; the same as FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "pid", "command"])]
    pub pcap: Option<PathBuf>,
    /// Trace this process, with all its threads and what it starts, until it ends
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pub pid: Option<u32>,
    /// Trace no longer than this; a command is asked to end then
    #[arg(long, value_name = "TIME", conflicts_with_all = ["file", "pcap"])]
    pub duration: Option<Nanos>,
    /// By what calls are seen [default: the kernel's tracepoints where they may be used, else strace; on Windows the events of its kernel]
    #[arg(long, value_name = "MEANS", conflicts_with_all = ["file", "pcap"])]
    pub by: Option<By>,
    /// Keep each call of a running program, or of a recording of Windows (.etl), in this file, as a line of CSV; it must not exist. 'plumb trace FILE', 'plumb explain' and 'plumb replay' read it
    #[arg(long, value_name = "FILE", conflicts_with = "pcap")]
    pub save: Option<PathBuf>,
    /// Write a page with figures and tables to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the summary as JSON (`plumb schema trace`)
    #[arg(long)]
    pub json: bool,
    /// Start this command and trace it, with all that it starts; the figures then go to the standard error
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// By what calls are seen.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum By {
    /// The kernel's tracepoints: root, or CAP_PERFMON and readable tracefs
    Perf,
    /// strace, which plumb starts: no rights needed; it stops the program twice at each call
    Strace,
    /// The events of Windows' kernel: an administrator's rights; there it is the only means
    Etw,
}

impl By {
    fn means(self) -> Means {
        match self {
            By::Perf => Means::Tracepoints,
            By::Strace => Means::Strace,
            By::Etw => Means::Events,
        }
    }
}

/// `plumb trace`.
pub fn trace(arguments: &TraceArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let traced = match (arguments.pid, arguments.command.as_slice()) {
        (Some(process), _) => Some(Traced::Process(process)),
        (None, []) => None,
        (None, command) => Some(Traced::Command(command)),
    };
    let Some(traced) = traced else {
        let file = arguments.file.as_ref().or(arguments.pcap.as_ref());
        let file =
            file.context("a trace is wanted: plumb trace FILE, or plumb trace -- COMMAND")?;
        let Some(keep) = &arguments.save else {
            show(&of_file(file, &Window::default())?, arguments, false)?;
            return Ok(Outcome::Done);
        };
        let (summary, kept) = of_file_kept(file, keep)?;
        show(&summary, arguments, false)?;
        say_kept(kept?, keep);
        return Ok(Outcome::Done);
    };
    let duration = arguments
        .duration
        .map(|duration| Duration::from_nanos(duration.0));
    let LiveTrace {
        summary,
        end,
        interrupted,
        kept,
    } = live(
        traced,
        arguments.by.map(By::means),
        duration,
        arguments.save.as_deref(),
        &stop()?,
    )?;
    show(&summary, arguments, end.is_some())?;
    if let (Some(kept), Some(file)) = (kept, &arguments.save) {
        say_kept(kept?, file);
    }
    Ok(match end {
        _ if interrupted => Outcome::NotDone,
        Some(end) if !end.is_success() => Outcome::Severe,
        _ => Outcome::Done,
    })
}

fn say_kept(calls: u64, file: &Path) {
    let (shown, calls) = (file.display(), count(calls));
    say(&format!("stored: {shown} ({calls} calls)"));
}

/// What a traced command prints is the result, and stays its own: text goes beside it.
fn show(summary: &TraceSummary, arguments: &TraceArguments, beside: bool) -> anyhow::Result<()> {
    if let Some(page) = &arguments.report {
        write_page(page, &trace_html(summary, words()))?;
        say(&format!("report: {}", page.display()));
    }
    if arguments.json {
        return print_json(summary);
    }
    if beside {
        let plain = Page {
            colour: false,
            ..page()
        };
        say(trace_text(summary, plain).trim_end());
        return Ok(());
    }
    print(&trace_text(summary, page()))
}
