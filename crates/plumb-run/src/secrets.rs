//! Where does the password of a share come from? From a file, the environment, or a prompt; never from the command line. Kerberos tickets replace it.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_load::secret::{Secret, Secrets};
use plumb_model::plan::Plan;
use plumb_model::target::password::{masked, stands_in};
use plumb_model::target::remote::Remote;
use plumb_model::text::shell::quoted_path;
use zeroize::Zeroizing;

use crate::system;

/// The variable that holds a password.
const VARIABLE: &str = "PLUMB_PASSWORD";
/// The variable that names a cache of Kerberos tickets (kinit(1)).
const TICKETS: &str = "KRB5CCNAME";

/// A user's credentials; missing ones are taken from the environment, or prompted for.
#[derive(Debug, Clone, Default)]
pub struct Login {
    /// File whose first line is the password of the share's user.
    pub password_file: Option<PathBuf>,
}

/// Why a command line is not carried out on which a password stands; `None` when there is none.
pub fn on_command_line(arguments: &[OsString]) -> Option<String> {
    let found = arguments
        .iter()
        .map(|argument| argument.to_string_lossy())
        .find(|argument| stands_in(argument))?;
    Some(format!(
        "{}: the address contains a password: it would be visible in records and process lists, and is now in this shell's history; remove it, and enter it at the prompt, or use {VARIABLE} or --password-file",
        masked(&found)
    ))
}

/// The passwords of all shares of a plan.
///
/// Errors: the file cannot be read, or there is no terminal to prompt.
pub fn of_plan(plan: &Plan, login: &Login) -> anyhow::Result<Secrets> {
    gather(
        plan.steps
            .iter()
            .flat_map(|step| &step.jobs)
            .filter_map(|job| job.target.remote()),
        login,
    )
}

/// The passwords of these addresses, each prompted for once. Shares without a user, protocols without passwords, and users with Kerberos tickets need none.
pub fn gather<'a>(
    remotes: impl IntoIterator<Item = &'a Remote>,
    login: &Login,
) -> anyhow::Result<Secrets> {
    let mut secrets = Secrets::default();
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if login.password_file.is_none() && !is_set(VARIABLE) && is_set(TICKETS) {
        return Ok(secrets);
    }
    for remote in remotes {
        if remote.scheme.is(|of| of.asks_password)
            && remote.user.is_some()
            && secrets.of(remote).is_none()
        {
            secrets.add(remote, password(remote, login.password_file.as_deref())?);
        }
    }
    Ok(secrets)
}

fn password(remote: &Remote, file: Option<&Path>) -> anyhow::Result<Secret> {
    if let Some(file) = file {
        if system::others_may_read(file) {
            bail!(
                "{}: readable by other users: chmod 600 {}",
                file.display(),
                quoted_path(file)
            );
        }
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("{}: cannot read the password file", file.display()))?;
        return Ok(Secret::new(
            Zeroizing::new(text).lines().next().unwrap_or_default(),
        ));
    }
    if let Some(password) = std::env::var_os(VARIABLE) {
        return password
            .into_string()
            .map(Secret::new)
            .map_err(|_| anyhow::anyhow!("{VARIABLE} is not UTF-8 text"));
    }
    let user = remote.user.as_deref().unwrap_or_default();
    if !std::io::stdin().is_terminal() {
        bail!(
            "{remote}: requires the password of {user}: set {VARIABLE}, use --password-file, or run plumb in a terminal"
        );
    }
    let typed = rpassword::prompt_password(format!("password of {user} on {}: ", remote.host));
    typed
        .map(Secret::new)
        .context("cannot read the password from the terminal")
}
