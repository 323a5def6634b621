//! Which I/O calls did an application make, and how long did they take? Reads or records a trace, and shows it.

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
use plumb_run::traces::live::{LiveSettings, LiveTrace, Means, Traced, live};
use plumb_run::traces::{BlkparseLayout, Window, of_file_in, of_file_kept};
use plumb_show::report::trace_html;
use plumb_show::terminal::{Page, trace_text};
use plumb_words::numbers::count;

use crate::commands::Outcome;
use crate::outcome::stop;
use crate::streams::{page, print, print_json, say, words};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb trace -- rsync -a /data/ /mnt/share/     (with its children; as root by kernel tracepoints, else by strace)\n  plumb trace --pid 4711 --duration 30s\n  plumb trace --save app.calls -- COMMAND        (each call as a line of CSV, for plumb trace and plumb replay)\n  strace -f -ttt -T -o app.strace COMMAND\n  plumb trace app.strace\n  \
wpr -start FileIO -filemode & wpr -stop app.etl & plumb trace app.etl --save app.csv    (on Windows, as administrator; app.csv is readable on every system)\n  \
blktrace -d /dev/sda -o - | blkparse -i - | plumb trace -\n  plumb trace sda.txt --blkparse-format '%5T.%9t %p %a %d %S %n\\n'    (what blkparse -f printed)\n  perf record -a -e block:block_rq_issue,block:block_rq_complete sleep 30; perf script | plumb trace -\n  timeout -s INT 30 biosnoop-bpfcc > app.bio; plumb trace app.bio\n  \
tcpdump -i any -w app.pcap port 445 or port 2049     (while the application runs; as root, on the client)\n  \
plumb trace app.pcap\n\n\
A live trace ends when the command exits; children that outlive it are not traced further. Only tracepoints see io_uring requests, only strace sees calls of 32-bit programs;\nmissed calls are counted and reported. strace stops the program twice per call, tracepoints do not. On Windows, kernel events (ETW) show file operations, as administrator; I/O of mapped files and of the cache is only counted.\n\
Exit codes with COMMAND: 0 traced; 1 traced, but the command exited with a status other than 0; 2 not traced. Other programs' traces can be read: captures of SMB 2 and 3 and of NFS 3 and 4 over TCP (pcap, pcapng); output of strace;\nblock requests as printed by blkparse, biosnoop (BCC, libbpf-tools), perf script, ftrace and trace-cmd; and CSV traces of MSR Cambridge, Alibaba and Tencent;\n\
the kind of a file is detected from its content. Values that a trace lacks (a time, a size, a file) are missing in the figures; damaged parts are skipped and counted.\n\
The service time of an SMB or NFS request is the time from its last byte to the last byte of its response, at the point of capture; encrypted requests are only counted.\nA compound of NFS 4 is one call by the name of what it is for, such as READ. A request without a response is not among the outstanding calls.\n\
Packets may be cut at 256 bytes (tcpdump -s 256) for a far smaller file; requests that share a packet with an earlier one are then lost, and their number is reported."
)]
pub struct TraceArguments {
    /// Trace: capture, output of strace, blkparse, biosnoop, perf script or ftrace, CSV block trace, or on Windows an event trace (.etl); '-' reads standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["pid", "command"])]
    pub file: Option<PathBuf>,
    /// Capture of SMB or NFS traffic: pcap or pcapng of tcpdump, Wireshark and etl2pcapng; same as FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "pid", "command"])]
    pub pcap: Option<PathBuf>,
    /// FILE is blkparse output in this format of its option -f, such as '%5T.%9t %p %a %d %S %n\n'; with --save, all commands can read the calls
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true, conflicts_with_all = ["pcap", "pid", "command"])]
    pub blkparse_format: Option<BlkparseLayout>,
    /// Trace this process with its threads and children, until it exits
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pub pid: Option<u32>,
    /// Stop tracing after this time; a command is then terminated
    #[arg(long, value_name = "TIME", conflicts_with_all = ["file", "pcap"])]
    pub duration: Option<Nanos>,
    /// Tracing method [default: kernel tracepoints if permitted, else strace; on Windows kernel events]
    #[arg(long, value_name = "MEANS", conflicts_with_all = ["file", "pcap"])]
    pub by: Option<By>,
    /// Save each call of a running program, of a Windows event trace (.etl) or with --blkparse-format to this file as a line of CSV; must not exist; read by plumb trace, explain and replay
    #[arg(long, value_name = "FILE", conflicts_with = "pcap")]
    pub save: Option<PathBuf>,
    /// Write a page with figures and tables to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the summary as JSON (`plumb schema trace`)
    #[arg(long)]
    pub json: bool,
    /// Start and trace this command with its children; the figures go to standard error
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Tracing method.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum By {
    /// Kernel tracepoints: require root, or CAP_PERFMON and readable tracefs
    Perf,
    /// strace, started by plumb: requires no privileges; stops the program twice per call
    Strace,
    /// Look at the threads in /proc many times a second: requires no privileges, shows no single calls; for plumb why
    Samples,
    /// Windows kernel events: require administrator rights; the only method on Windows
    Etw,
}

impl By {
    pub fn means(self) -> Means {
        match self {
            By::Perf => Means::Tracepoints,
            By::Strace => Means::Strace,
            By::Samples => Means::Samples,
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
            file.context("a trace is required: plumb trace FILE, or plumb trace -- COMMAND")?;
        let layout = arguments.blkparse_format.as_ref();
        let Some(keep) = &arguments.save else {
            let summary = of_file_in(file, layout, &Window::default())?;
            show(&summary, arguments, false)?;
            return Ok(Outcome::Done);
        };
        let (summary, kept) = of_file_kept(file, layout, keep)?;
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
        ..
    } = live(
        traced,
        &LiveSettings {
            means: arguments.by.map(By::means),
            duration,
            keep: arguments.save.as_deref(),
            with_account: false,
        },
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

/// Standard output belongs to a traced command: the text goes to standard error.
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
