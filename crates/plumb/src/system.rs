//! Which system settings does the program use? The limit of file sizes, its allocator, and the terminal.

pub mod caches;
pub mod memory;
pub mod terminal;

use std::io;
use std::path::PathBuf;
use std::process::Command;

#[global_allocator]
pub static ALLOCATOR: memory::Allocator = memory::Allocator::new();

/// A write beyond the limit of file sizes (`ulimit -f`) fails with EFBIG, instead of ending the program by SIGXFSZ before it could clean up (setrlimit(2)).
#[cfg(unix)]
pub fn take_file_size_limit_as_error() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).map(drop)
}

/// There is no such limit elsewhere.
#[cfg(not(unix))]
pub fn take_file_size_limit_as_error() -> io::Result<()> {
    Ok(())
}

/// True where standard error goes into the same pipe or file as standard output (`2>&1`): what reads the one gets the other too. Not where both are a terminal.
#[cfg(target_os = "linux")]
pub fn errors_go_to_output() -> bool {
    let open = |number: u8| std::fs::read_link(format!("/proc/self/fd/{number}")).ok();
    let is_terminal = std::io::IsTerminal::is_terminal(&io::stdout());
    !is_terminal && open(1).is_some_and(|output| Some(output) == open(2))
}

/// It is not known elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn errors_go_to_output() -> bool {
    false
}

/// A command line as the shell understands it.
pub fn shell(line: &str) -> Command {
    let (program, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut command = Command::new(program);
    command.args([option, line]);
    command
}

/// A command that goes on when the terminal is closed, and that Ctrl-C does not reach: a process group of its own.
#[cfg(unix)]
pub fn in_background(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// The same: detached from the console (CreateProcess, DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP).
#[cfg(windows)]
pub fn in_background(command: &mut Command) -> &mut Command {
    std::os::windows::process::CommandExt::creation_flags(command, 0x0000_0208)
}

/// Creates a new folder that only the owner can read.
#[cfg(unix)]
pub fn make_private_folder(folder: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

/// The same: the folder for temporary files is the user's own on Windows.
#[cfg(not(unix))]
pub fn make_private_folder(folder: &std::path::Path) -> io::Result<()> {
    std::fs::create_dir(folder)
}

/// The user's configuration file: `PLUMB_CONFIG`, else in the configuration directory (XDG Base Directory); `None` if the environment does not define it.
#[cfg(not(windows))]
pub fn config_file() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let own = named("PLUMB_CONFIG").filter(|path| !path.as_os_str().is_empty());
    own.or_else(|| {
        let home = || Some(named("HOME").filter(absolute)?.join(".config"));
        let folder = named("XDG_CONFIG_HOME").filter(absolute).or_else(home)?;
        Some(folder.join("plumb").join("config.toml"))
    })
}

/// The same of Windows.
#[cfg(windows)]
pub fn config_file() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let own = named("PLUMB_CONFIG").filter(|path| !path.as_os_str().is_empty());
    own.or_else(|| Some(named("APPDATA")?.join("plumb").join("config.toml")))
}

/// The state directory of this host (XDG Base Directory); `None` if the environment does not define it.
#[cfg(not(windows))]
pub fn state_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    named("XDG_STATE_HOME").filter(absolute).or_else(|| {
        let home = named("HOME").filter(absolute)?;
        Some(home.join(".local").join("state"))
    })
}

/// The same of Windows.
#[cfg(windows)]
pub fn state_folder() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(PathBuf::from)
}

/// `plumb/fio` in the folder for data of the user's programs (XDG Base Directory; Windows: LOCALAPPDATA), where `plumb fio` keeps its records.
pub fn fio_data_folder() -> Option<PathBuf> {
    let of = |variable: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let data = of("XDG_DATA_HOME")
        .or_else(|| of("LOCALAPPDATA"))
        .or_else(|| Some(of("HOME")?.join(".local/share")))?;
    Some(data.join("plumb/fio"))
}

/// The cache directory of this user (XDG Base Directory); `None` if the environment does not define it.
#[cfg(not(windows))]
pub fn cache_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    named("XDG_CACHE_HOME")
        .filter(absolute)
        .or_else(|| Some(named("HOME").filter(absolute)?.join(".cache")))
}

/// The same of Windows.
#[cfg(windows)]
pub fn cache_folder() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(PathBuf::from)
}
