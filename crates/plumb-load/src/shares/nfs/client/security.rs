//! Which security flavor is used? The requested one, or the first that the export offers: the user ID, else a Kerberos ticket.

use plumb_model::statement::Statement;
use plumb_model::workload::NfsSecurity;

use super::{Client, ConnectOptions};
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::nfs::call::{FileHandle, op};
use crate::shares::nfs::gss::log_in::{NotProved, lacks, log_in};
use crate::shares::nfs::results::Failure;
use crate::shares::nfs::status::Status;

/// Numbers of RPC, those of Kerberos as MOUNT has them (RFC 5531, 8.2; RFC 2623, 2.4).
const AUTH_NONE: u32 = 0;
const AUTH_SYS: u32 = 1;
const KRB5: u32 = 390_003;
const KRB5I: u32 = 390_004;
const KRB5P: u32 = 390_005;

/// The name that exports(5) has for a flavor.
pub fn flavor_name(flavor: u32) -> String {
    match flavor {
        AUTH_NONE => "none".to_string(),
        AUTH_SYS => "sys".to_string(),
        KRB5 => "krb5".to_string(),
        KRB5I => "krb5i".to_string(),
        KRB5P => "krb5p".to_string(),
        other => format!("flavor {other}"),
    }
}

/// Which proof that is; missing: plumb has none such.
pub fn of_flavor(flavor: u32) -> Option<NfsSecurity> {
    match flavor {
        AUTH_NONE | AUTH_SYS => Some(NfsSecurity::Sys),
        KRB5 => Some(NfsSecurity::Krb5),
        KRB5I => Some(NfsSecurity::Krb5i),
        KRB5P => Some(NfsSecurity::Krb5p),
        _ => None,
    }
}

/// True if the export accepts this flavor; a server that lists none is tried.
fn takes(flavors: &[u32], security: NfsSecurity) -> bool {
    let same = |flavor: &u32| of_flavor(*flavor) == Some(security);
    flavors.is_empty() || flavors.iter().any(same)
}

/// Why an export was not entered.
pub(super) enum NotEntered {
    Refused(ShareError),
    /// It requires another flavor: one of these, in the server's order; empty: not reported.
    OtherFlavors(Vec<u32>),
}

impl From<ShareError> for NotEntered {
    fn from(error: ShareError) -> NotEntered {
        NotEntered::Refused(error)
    }
}

impl Client {
    /// How the user is known to the server.
    pub fn security(&self) -> NfsSecurity {
        self.principal
            .as_ref()
            .map_or(NfsSecurity::Sys, |(security, _)| *security)
    }

    /// The user's identity on the server, for the record.
    pub fn identity(&self) -> String {
        match &self.principal {
            None => format!("sys, user {}", self.user()),
            Some((security, principal)) => {
                let meaning = match security {
                    NfsSecurity::Krb5i => ", integrity-protected",
                    NfsSecurity::Krb5p => ", encrypted",
                    _ => "",
                };
                format!("{security}, {principal}{meaning}")
            }
        }
    }

    /// Authenticates the user with a ticket, if requested. Nothing is in flight.
    pub(super) fn log_in(&mut self, name: &str) -> Result<(), NotProved> {
        self.name = name.to_string();
        let security = self.options.security;
        let principal = log_in(&mut self.connection, &mut self.none, &self.remote, security)?;
        self.principal = principal.map(|principal| (security, principal));
        Ok(())
    }

    pub(super) fn enter_by_what_is_offered(&mut self) -> Result<(), ShareError> {
        let flavors = match self.enter_once() {
            Ok(()) => return Ok(()),
            Err(NotEntered::Refused(error)) => return Err(error),
            Err(NotEntered::OtherFlavors(flavors)) => flavors,
        };
        let security = self.other_proof(&flavors)?;
        self.leave();
        let options = ConnectOptions {
            version: self.version,
            security,
            ..self.options.clone()
        };
        let (remote, name) = (self.remote.clone(), self.name.clone());
        *self = Client::connect(&remote, options, &name)?;
        self.enter_once().map_err(|failed| match failed {
            NotEntered::Refused(error) => error,
            NotEntered::OtherFlavors(flavors) => self.proof_refused(&flavors),
        })
    }

    fn enter_once(&mut self) -> Result<(), NotEntered> {
        if self.is_version_3() {
            self.enter_export_3()
        } else {
            self.enter_export_4()
        }
    }

    /// Of these flavors, the one to try next.
    fn other_proof(&self, flavors: &[u32]) -> Result<NfsSecurity, ShareError> {
        if self.options.security != NfsSecurity::Auto {
            return Err(self.proof_refused(flavors));
        }
        let known = flavors.iter().filter_map(|flavor| of_flavor(*flavor));
        let next = match known.into_iter().find(|known| *known != NfsSecurity::Sys) {
            // Not reported by the server: the weakest flavor above AUTH_SYS.
            None if flavors.is_empty() => Some(NfsSecurity::Krb5),
            other => other,
        };
        let Some(next) = next else {
            return Err(self.proof_refused(flavors));
        };
        match lacks(&self.remote) {
            None => Ok(next),
            Some(_) if flavors.is_empty() => Err(self.proof_refused(flavors)),
            Some(why) => {
                let refused = Statement::new("nfs-export-wants-kerberos")
                    .name("target", self.remote.to_string())
                    .name("offered", offered(flavors))
                    .part("why", why);
                Err(denied(refused))
            }
        }
    }

    fn proof_refused(&self, flavors: &[u32]) -> ShareError {
        let target = self.remote.to_string();
        let security = self.security().to_string();
        denied(if flavors.is_empty() {
            Statement::new("nfs-security-not-taken")
                .name("target", target)
                .name("security", security)
        } else {
            Statement::new("nfs-other-security-only")
                .name("target", target)
                .name("security", security)
                .name("offered", offered(flavors))
        })
    }

    /// Nothing, when the export takes how the user is known; else what it takes.
    pub(super) fn judge_flavors(&self, flavors: &[u32]) -> Result<(), NotEntered> {
        if takes(flavors, self.security()) {
            return Ok(());
        }
        Err(NotEntered::OtherFlavors(flavors.to_vec()))
    }

    /// Flavors of a name in a folder (missing: in the root), after the server returned NFS4ERR_WRONGSEC: it answers SECINFO anyway
    /// (RFC 8881, 2.6.3.1.1.5).
    pub(super) fn required_flavors(
        &mut self,
        folder: Option<FileHandle>,
        name: &str,
    ) -> NotEntered {
        let flavors_offered = self.request(
            |call| {
                match &folder {
                    Some(folder) => call.put(folder),
                    None => call.put_root(),
                }
                if name.is_empty() {
                    call.security();
                } else {
                    call.security_of(name);
                }
            },
            |results| {
                results.done(folder.map_or(op::PUTROOTFH, |_| op::PUTFH))?;
                results.security(if name.is_empty() {
                    op::SECINFO_NO_NAME
                } else {
                    op::SECINFO
                })
            },
        );
        NotEntered::OtherFlavors(flavors_offered.unwrap_or_default())
    }

    /// The last folder on the way to the target that is there.
    pub(super) fn deepest(&mut self) -> Result<FileHandle, NotEntered> {
        let remote = self.remote.clone();
        let names: Vec<&str> = remote.below_share().split('/').collect();
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        for count in (1..=names.len()).rev() {
            match self.walk(self.root, &names[..count]) {
                Ok(folder_handle) => return Ok(folder_handle),
                Err(Failure::Status(Status::WRONGSEC)) => {
                    return Err(self.required_flavors_on_path(&names[..count]));
                }
                Err(_) => {}
            }
        }
        Ok(self.root)
    }

    /// What the first of these folders takes that does not take how the user is known.
    fn required_flavors_on_path(&mut self, names: &[&str]) -> NotEntered {
        let mut folder_handle = self.root;
        for name in names {
            match self.walk(folder_handle, &[name]) {
                Ok(next) => folder_handle = next,
                Err(_) => return self.required_flavors(Some(folder_handle), name),
            }
        }
        NotEntered::OtherFlavors(Vec::new())
    }
}

fn denied(why: Statement) -> ShareError {
    ShareError {
        kind: ShareErrorKind::Denied,
        why,
    }
}

fn offered(flavors: &[u32]) -> String {
    let names: Vec<String> = flavors
        .iter()
        .take(16)
        .map(|flavor| flavor_name(*flavor))
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_takes_what_it_names_and_perhaps_all_when_it_names_nothing() {
        let each = [NfsSecurity::Sys, NfsSecurity::Krb5, NfsSecurity::Krb5p];
        let taken = |flavors: &[u32]| each.map(|security| takes(flavors, security));
        assert_eq!(taken(&[]), [true, true, true]);
        assert_eq!(taken(&[KRB5, AUTH_SYS]), [true, true, false]);
        assert_eq!(taken(&[AUTH_NONE]), [true, false, false]);
        assert_eq!(taken(&[KRB5P, 7]), [false, false, true]);
        assert_eq!(taken(&[7]), [false, false, false]);
    }
}
