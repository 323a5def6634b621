//! How does a job file of fio, or a configuration file of Iometer, become a plan here? Read with the files it includes, the environment, and the facts of this machine.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use plumb_model::target::Target;
use plumb_observe::environment::{Options, look};
pub use plumb_plan::fio_job::is_job_file;
use plumb_plan::fio_job::{FioJob, PATTERN_MAX_BYTES, Surroundings, as_toml, read};
use plumb_plan::iometer;
use plumb_plan::iometer::IometerConfiguration;
use plumb_record::text::decoded;

use crate::named_plan::replays;
use crate::system::auxiliary_vector;

/// Longest job file that is read, in bytes: what names no job file by mistake ends here.
const TEXT_MAX_BYTES: u64 = 4 << 20;

/// The job file as a plan file in TOML, with what differs from fio: one sentence each without its full stop.
pub fn job_as_plan(path: &Path) -> anyhow::Result<(String, Vec<String>)> {
    let mut job = job_of(path)?;
    job.remarks.extend(replays::remarks_of(&job.plan)?);
    Ok((as_toml(&job), job.remark_lines(&[])))
}

/// True for a configuration file of Iometer, by its name.
pub fn is_of_iometer(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("icf"))
}

/// The configuration file of Iometer as a plan file in TOML, with what differs from Iometer.
pub fn configuration_as_plan(path: &Path) -> anyhow::Result<(String, Vec<String>)> {
    let configuration = configuration_of(path)?;
    Ok((iometer::as_toml(&configuration), configuration.remarks))
}

/// The configuration file, understood. Errors: it cannot be read, or requires what plumb does not support; file and line, and the nearest alternative.
pub fn configuration_of(path: &Path) -> anyhow::Result<IometerConfiguration> {
    // Names of drives and descriptions are in the code page of the Windows that wrote them.
    let text = String::from_utf8_lossy(&bytes_of(path)?).into_owned();
    Ok(iometer::read(&text, &path.display().to_string())?)
}

/// The job file, understood. Errors: it cannot be read, or requires what plumb does not support; file and line, and the nearest alternative.
pub fn job_of(path: &Path) -> anyhow::Result<FioJob> {
    job_in(&job_text(path)?, path)
}

/// The text of a job file, understood: `path` names it, and what it includes lies beside that.
pub fn job_in(text: &str, path: &Path) -> anyhow::Result<FioJob> {
    let mut job = with_surroundings(path, |surroundings| {
        read(text, &path.display().to_string(), surroundings)
    })?;
    let listeners = job.listeners.iter().map(|listener| &listener.refusal);
    let companions = job.companions.iter().map(|companion| &companion.refusal);
    let listeners = listeners.chain(companions);
    if let Some(refusal) = job.commands.iter().chain(listeners).next() {
        return Err(refusal.clone().into());
    }
    replays::resolve_beside_plan(&mut job.plan, path);
    Ok(job)
}

/// What stands on standard input. Errors: it cannot be read, is too long, or no text.
pub fn standard_input() -> anyhow::Result<String> {
    let bytes = bounded(std::io::stdin().lock(), "standard input")?;
    String::from_utf8(bytes).context("standard input is not UTF-8 text")
}

/// Calls `with` with what a job file may need from this host; files that it includes are seen from here or from beside it.
pub fn with_surroundings<T>(job_file: &Path, with: impl FnOnce(&mut Surroundings<'_>) -> T) -> T {
    let mut include = |name: &str| included(job_file, name).map_err(|error| format!("{error:#}"));
    let variable = |name: &str| std::env::var(name).ok();
    with(&mut Surroundings {
        include: &mut include,
        variable: &variable,
        pattern: &|name| pattern_of(name).map_err(|error| format!("{error:#}")),
        keyword: &fact,
    })
}

/// The bytes of a pattern. Errors: it is no file, empty, or too long.
fn pattern_of(name: &str) -> anyhow::Result<Vec<u8>> {
    let file = File::open(name).context("cannot read the pattern")?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        bail!("it is not a file");
    }
    let mut bytes = Vec::new();
    file.take(PATTERN_MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .context("cannot read the pattern")?;
    if bytes.is_empty() || bytes.len() > PATTERN_MAX_BYTES {
        bail!("a pattern has 1 to {PATTERN_MAX_BYTES} bytes");
    }
    Ok(bytes)
}

/// An included file: seen from where fio was started, else from the folder of the job file (__parse_jobs_ini in init.c).
fn included(job_file: &Path, name: &str) -> anyhow::Result<String> {
    let given = Path::new(name);
    match job_file.parent() {
        Some(folder) if !given.exists() => job_text(&folder.join(given)),
        _ => job_text(given),
    }
}

/// The text of a job file. Errors: it cannot be read, or is none.
pub fn job_text(path: &Path) -> anyhow::Result<String> {
    let bytes = bytes_of(path)?;
    let mut text = String::new();
    decoded(bytes.as_slice())
        .and_then(|mut decoded| decoded.read_to_string(&mut text))
        .with_context(|| format!("{} is not text in UTF-8 or UTF-16", path.display()))?;
    Ok(text)
}

fn bytes_of(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("{shown}: cannot read the job file"))?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        bail!("{shown} is not a file");
    }
    bounded(file, &shown.to_string())
}

fn bounded(source: impl std::io::Read, shown: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(TEXT_MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{shown}: cannot read the job file"))?;
    if bytes.len() as u64 > TEXT_MAX_BYTES {
        bail!(
            "{shown} is larger than {} MiB: not a job file",
            TEXT_MAX_BYTES >> 20
        );
    }
    Ok(bytes)
}

/// Values of fio's reserved keywords, if this system reports them.
fn fact(keyword: &str) -> Option<u64> {
    match keyword {
        "ncpus" => std::thread::available_parallelism()
            .ok()
            .map(|cpus| cpus.get() as u64),
        "mb_memory" => {
            let options = Options {
                watch: Duration::ZERO,
                trial: false,
                ..Options::default()
            };
            look(&Target::Null, &options)
                .number("memory.total_bytes")
                .map(|bytes| bytes as u64 >> 20)
        }
        "pagesize" => page_bytes(&auxiliary_vector()?),
        _ => None,
    }
}

/// The entry AT_PAGESZ of the auxiliary vector: pairs of words, the first of which names the second (getauxval(3)).
fn page_bytes(vector: &[u8]) -> Option<u64> {
    const AT_PAGESZ: usize = 6;
    let words: Vec<usize> = vector
        .chunks_exact(size_of::<usize>())
        .filter_map(|word| Some(usize::from_ne_bytes(word.try_into().ok()?)))
        .collect();
    words
        .chunks_exact(2)
        .find(|pair| pair[0] == AT_PAGESZ)
        .map(|pair| pair[1] as u64)
}

#[cfg(test)]
mod tests {
    use super::page_bytes;

    #[test]
    fn the_size_of_a_page_stands_in_the_auxiliary_vector() {
        let vector: Vec<u8> = [3usize, 64, 6, 16_384, 0, 0]
            .into_iter()
            .flat_map(usize::to_ne_bytes)
            .collect();
        assert_eq!(page_bytes(&vector), Some(16_384));
        assert_eq!(page_bytes(&vector[..16]), None);
    }
}
