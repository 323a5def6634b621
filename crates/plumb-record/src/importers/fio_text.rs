//! What is in fio's normal output? A block for each job, as fio 2 and 3 print it by default, converted to the JSON that fio would have written.

mod block;

use std::collections::{BTreeMap, HashMap};

use plumb_model::run::Run;
use plumb_model::statement::Statement;
use serde_json::json;

use crate::importer::fio;
use crate::importer::{Head, ImportError, Importer, Source};
use block::{Block, Process};

pub static IMPORTER: Importer = Importer {
    name: "fio-text",
    program: "fio",
    meaning: "what fio 2 and 3 print without --output-format: one or more runs, also indented, quoted, or with other text around it",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Most jobs of one file.
const JOBS_MAX: usize = 100_000;
/// Jobs that ran at the same time end together: their times differ by less than this factor.
const SAME_TIME: f64 = 1.1;
/// Most jobs that a doubt names.
const NAMED: usize = 5;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    // If a file has several outputs, JSON has the most detail.
    !text.contains("\"fio version\"")
        && text
            .lines()
            .any(|line| Block::begins(unquoted(line)).is_some())
}

/// A line as fio printed it: without the indentation and the quote marks that mail and forums put before it.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c == '>' || c.is_whitespace())
}

/// The host of a line that `--client` prints with `<host>` before it or alone, and the rest of the line.
fn of_client(line: &str) -> Option<(&str, &str)> {
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['<', ' ']);
    if let Some((host, rest)) = line.strip_prefix('<').and_then(|line| line.split_once('>')) {
        return Some((host, rest.trim_start())).filter(|(host, _)| is_name(host));
    }
    // Behind the progress, which no newline ends.
    let (_, host) = line.trim_end().strip_suffix('>')?.rsplit_once('<')?;
    let is_progress = line.starts_with("Jobs: ");
    Some((host, "")).filter(|(host, _)| is_progress && is_name(host))
}

/// One invocation of fio: what it printed from its first line to the next invocation.
#[derive(Default)]
struct Invocation {
    heads: Vec<block::Head>,
    version: String,
    blocks: Vec<Block>,
    /// Indexes of the blocks by their process.
    processes: HashMap<Process, usize>,
    /// The lines of all jobs together were seen: the jobs are complete, unless other clients follow.
    has_totals: bool,
    /// The client whose jobs follow (`--client`).
    host: Option<String>,
}

impl Invocation {
    /// Whether `--status-interval` printed a report of the same process earlier.
    fn knows(&self, block: &Block) -> bool {
        let process = block.process();
        process.is_some_and(|process| self.processes.contains_key(&process))
    }

    /// Adds a block; returns its index, and whether it replaces an earlier report of the same process.
    fn add(&mut self, block: Block) -> (usize, bool) {
        let next = self.blocks.len();
        let index = match block.process() {
            Some(process) => *self.processes.entry(process).or_insert(next),
            None => next,
        };
        match self.blocks.get_mut(index) {
            Some(known) => *known = block,
            None => self.blocks.push(block),
        }
        (index, index < next)
    }

    /// Jobs of different names in one group that ran for different times: one may have waited for another, which the text does not state.
    fn perhaps_apart(&self) -> Option<Statement> {
        let mut groups: BTreeMap<u64, BTreeMap<&str, f64>> = BTreeMap::new();
        for ((group, name), ms) in self.blocks.iter().filter_map(Block::ran) {
            let longest = groups.entry(group).or_default().entry(name).or_default();
            *longest = longest.max(ms);
        }
        groups.into_values().find_map(|jobs| {
            let least = jobs.values().copied().reduce(f64::min)?;
            let most = jobs.values().copied().reduce(f64::max)?;
            (most > least * SAME_TIME).then(|| {
                let names: Vec<&str> = jobs.keys().copied().take(NAMED).collect();
                Statement::new("fio-text-times-not-said")
                    .name("names", names.join(" + "))
                    .time_ns("least", least * 1e6)
                    .time_ns("most", most * 1e6)
            })
        })
    }

    fn document(&self) -> serde_json::Value {
        let version = match self.version.as_str() {
            "" => "fio-3.0",
            version => version,
        };
        let jobs: Vec<_> = self
            .blocks
            .iter()
            .map(|block| block.job(&self.heads))
            .collect();
        json!({ "fio version": version, "jobs": jobs })
    }
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut complete, mut now) = (Vec::new(), Invocation::default());
    let mut apart: Option<Statement> = None;
    let (mut jobs, mut interim, mut is_cut) = (0, 0u64, false);
    // The block that the following lines describe.
    let mut at: Option<usize> = None;
    while let Some(line) = source.line()? {
        let mut line = unquoted(&line);
        if let Some((host, rest)) = of_client(line) {
            line = rest;
            if line.is_empty() {
                now.host = Some(host.to_string());
            }
        }
        if let Some(mut block) = Block::begins(line) {
            block.set_host(now.host.clone());
            if jobs == JOBS_MAX {
                is_cut = true;
                break;
            }
            jobs += 1;
            if now.has_totals && !now.knows(&block) && now.host.is_none() {
                apart = apart.or_else(|| now.perhaps_apart());
                complete.push(now.document());
                now = Invocation {
                    version: now.version,
                    heads: now.heads,
                    ..Invocation::default()
                };
            }
            let (index, is_later) = now.add(block);
            interim += u64::from(is_later);
            at = Some(index);
        } else if line.starts_with("Run status group") {
            now.has_totals = true;
            at = None;
        } else if let Some(head) = block::head(line) {
            apart = apart.or_else(|| now.perhaps_apart());
            begin_next(&mut now, &mut complete);
            at = None;
            if now.heads.len() < JOBS_MAX {
                now.heads.push(head);
            }
        } else if line.starts_with("fio-") && !line.trim_end().contains(' ') {
            apart = apart.or_else(|| now.perhaps_apart());
            begin_next(&mut now, &mut complete);
            at = None;
            now.version = line.trim_end().to_string();
        } else if let Some((_, version)) = line
            .split_once(", fio=")
            .filter(|_| line.starts_with("hostname="))
        {
            apart = apart.or_else(|| now.perhaps_apart());
            begin_next(&mut now, &mut complete);
            at = None;
            now.version = version.split(',').next().unwrap_or_default().to_string();
        } else if let Some(block) = at.and_then(|at| now.blocks.get_mut(at)) {
            block.line(line);
        }
    }
    apart = apart.or_else(|| now.perhaps_apart());
    if !now.blocks.is_empty() {
        complete.push(now.document());
    }
    if complete.is_empty() {
        return Err(ImportError::of_file(
            "at least one job block of fio normal output",
        ));
    }
    let reports =
        (interim > 0).then(|| Statement::new("fio-interim-reports").count("count", interim));
    let cut = is_cut.then(|| fio::left_out(JOBS_MAX));
    fio::of_documents(
        &complete,
        reports.into_iter().chain(cut).chain(apart),
        &["direct"],
    )
}

/// The lines above the blocks of an invocation, and its version, begin the next one when blocks were read before.
fn begin_next(now: &mut Invocation, complete: &mut Vec<serde_json::Value>) {
    if !now.blocks.is_empty() {
        complete.push(std::mem::take(now).document());
    }
}

#[cfg(test)]
mod tests {
    use crate::importer::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        let text = include_str!("../../../../testdata/imported/fio-3.33-normal.txt");
        vec![Fixture {
            name: "normal.txt",
            bytes: text.as_bytes().to_vec(),
            check: |runs| {
                assert_eq!(runs.len(), 1);
                let step = &runs[0].header.plan.steps[0];
                assert_eq!(step.name, "mix");
                assert_eq!(step.jobs[0].workload.depth, 4);
                assert_eq!(step.jobs[0].workload.block.to_string(), "4k");
            },
        }]
    }

    use super::IMPORTER;
    use plumb_model::run::{Event, Run};

    /// A job of one direction with what fio prints around it; `with_banner`: the lines above the job too.
    fn text(name: &str, process: u32, reads: u32, with_banner: bool) -> String {
        let banner = match with_banner {
            true => format!(
                "{name}: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n\n"
            ),
            false => String::new(),
        };
        format!(
            "{banner}{name}: (groupid=0, jobs=1): err= 0: pid={process}: Fri Nov 27 18:00:03 2026\n  read: IOPS={reads}, BW=71.7MiB/s (75.1MB/s)(71.7MiB/1000msec)\n    clat (usec): min=34, max=409, avg=53.57, stdev=10.08\n     issued rwts: total={reads},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n\nRun status group 0 (all jobs):\n   READ: bw=71.7MiB/s (75.1MB/s), 71.7MiB/s-71.7MiB/s (75.1MB/s-75.1MB/s), io=71.7MiB (75.2MB), run=1001-1001msec\n\n"
        )
    }

    fn runs(text: &str) -> Vec<Run> {
        let runs = IMPORTER.of_bytes(text.as_bytes());
        runs.expect("fio's text")
    }

    /// (step, round, reads) of each execution.
    fn executions(run: &Run) -> Vec<(String, u32, u64)> {
        let begun = run.notes.iter().filter_map(|note| match note.event {
            Event::ExecutionStarted {
                execution,
                step,
                round,
            } => Some((execution, step, round)),
            _ => None,
        });
        begun
            .map(|(execution, step, round)| {
                let ticks = run.ticks.iter().filter(|tick| tick.execution == execution);
                let reads = ticks.map(|tick| tick.kinds[0].count).sum();
                (
                    run.header.plan.steps[step as usize].name.clone(),
                    round,
                    reads,
                )
            })
            .collect()
    }

    #[test]
    fn appended_runs_are_rounds_of_the_same_job_and_steps_of_others() {
        let same: String = [100, 200, 300]
            .map(|reads| text("same", reads, reads, true))
            .concat();
        let [run] = runs(&same).try_into().expect("one run");
        assert_eq!(
            executions(&run),
            [
                ("same".into(), 0, 100),
                ("same".into(), 1, 200),
                ("same".into(), 2, 300)
            ]
        );
        // A name may come again after another.
        let mixed = [
            text("a", 1, 10, true),
            text("b", 2, 20, true),
            text("a", 3, 30, true),
        ]
        .concat();
        let [run] = runs(&mixed).try_into().expect("one run");
        assert_eq!(
            executions(&run),
            [
                ("a".into(), 0, 10),
                ("b".into(), 0, 20),
                ("a".into(), 1, 30)
            ]
        );
        assert_eq!(run.header.plan.rounds, 2);
    }

    /// fio sums them over the longest time, wrongly where one waited for the other.
    #[test]
    fn jobs_of_different_times_are_doubted() {
        let job = |name, process, ms: &str| {
            let text = text(name, process, 10, false).replace("1000msec", ms);
            text[..text.find("Run status").expect("totals")].to_string()
        };
        let doubts = |text: &str| {
            let [run] = runs(text).try_into().expect("one run");
            let imported = run.header.imported.expect("imported");
            let of = imported.doubts.into_iter();
            let of = of.filter(|doubt| doubt.id == "fio-text-times-not-said");
            of.map(|doubt| plumb_words::english(&doubt))
                .collect::<Vec<_>>()
        };
        let waited = [job("a", 1, "49msec"), job("b", 2, "3msec")].concat();
        let [doubt] = doubts(&waited).try_into().expect("one doubt");
        assert!(doubt.contains("'a + b' ran for 3 ms to 49 ms"), "{doubt}");
        let together = [job("a", 1, "1000msec"), job("b", 2, "1001msec")].concat();
        assert!(doubts(&together).is_empty());
        // Clones of one job begin together.
        let clones = [job("a", 1, "49msec"), job("a", 2, "30msec")].concat();
        assert!(doubts(&clones).is_empty());
    }

    #[test]
    fn clients_ran_at_the_same_time() {
        let block = |process, reads| text("a", process, reads, false);
        let printed = format!(
            "hostname=one, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1\nhostname=two, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1\n<one> a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=null, iodepth=1\n<two> Starting 1 process\nJobs: 2 (f=2)<one> \n{}<two> \n{}All clients: (groupid=0, jobs=2): err= 0: pid=0: Sat Nov 28 02:49:02 2026\n  read: IOPS=30, BW=1KiB/s (1kB/s)(1KiB/1000msec)\n     issued rwts: total=30,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n",
            block(7, 10),
            block(8, 20)
        );
        let [run] = runs(&printed).try_into().expect("one run");
        assert_eq!(executions(&run), [("a @one + a @two".into(), 0, 30)]);
        assert_eq!(
            run.header.imported.expect("imported").version.as_deref(),
            Some("3.33")
        );
        // The same clients once more are another round.
        let [run] = runs(&format!(
            "{printed}{}",
            printed
                .replace("30,0,0,0", "31,0,0,0")
                .replace("total=10", "total=11")
        ))
        .try_into()
        .expect("one run");
        assert_eq!(run.header.plan.rounds, 2);
    }

    #[test]
    fn without_the_lines_above_the_totals_end_a_run() {
        let cut = [text("a", 1, 10, false), text("a", 2, 20, false)].concat();
        let [run] = runs(&cut).try_into().expect("one run");
        assert_eq!(executions(&run), [("a".into(), 0, 10), ("a".into(), 1, 20)]);
    }

    #[test]
    fn a_later_report_of_the_same_process_replaces_the_earlier_one() {
        let interim = [
            text("a", 7, 10, true),
            text("a", 7, 20, false),
            text("a", 7, 30, false),
        ]
        .concat();
        let [run] = runs(&interim).try_into().expect("one run");
        assert_eq!(executions(&run), [("a".into(), 0, 30)]);
        assert!(
            run.header
                .imported
                .expect("imported")
                .doubts
                .iter()
                .any(|doubt| doubt.id == "fio-interim-reports")
        );
    }

    #[test]
    fn jobs_before_the_totals_ran_together() {
        let (first, second) = (text("a", 1, 10, true), text("b", 2, 20, false));
        let end = first.find("Run status").expect("totals");
        let [run] = runs(&format!("{}{second}", &first[..end]))
            .try_into()
            .expect("one run");
        assert_eq!(executions(&run), [("a + b".into(), 0, 30)]);
    }

    #[test]
    fn indented_and_quoted_text_is_the_same() {
        let plain = text("a", 1, 10, true);
        for before in ["    ", "> ", ">> "] {
            let pasted: String = plain
                .lines()
                .map(|line| format!("{before}{line}\n"))
                .collect();
            let [run] = runs(&format!("I measured this:\n\n{pasted}\nWhy?\n"))
                .try_into()
                .expect("one run");
            assert_eq!(executions(&run), [("a".into(), 0, 10)], "{before}");
            assert_eq!(
                run.header.plan.steps[0].jobs[0].workload.block.to_string(),
                "4k"
            );
        }
    }

    #[test]
    fn fio_2_prints_other_words() {
        let old = "fio-2.2.10\na: (groupid=0, jobs=1): err= 0: pid=9: Wed Nov 25 10:00:00 2015\n  read : io=4000.0KB, bw=2000.0KB/s, iops=500, runt=  2000msec\n    clat (usec): min=100, max=9000, avg=1500.50, stdev=10.00\n     issued    : total=r=1000/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0\n";
        let [run] = runs(old).try_into().expect("one run");
        let kind = &run.ticks[0].kinds[0];
        assert_eq!((kind.count, kind.bytes), (1000, 4_096_000));
        assert_eq!(run.ticks[0].end_ns - run.ticks[0].start_ns, 2_000_000_000);
    }
}
