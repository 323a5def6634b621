//! How does a path on a share become a site? The same rules as for local targets, through plumb's own client.

use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;

use plumb_model::run::ranks::JointTarget;
use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_words::numbers::show_bytes;

use crate::share::{self, OWN_PREFIX, ShareError, ShareErrorKind, SharedShare};
use crate::shares;
use crate::site::admission::{Admission, ShareLogin};
use crate::site::claim::directory::needed_files;
use crate::site::cleanup::OnShare;
use crate::site::file::{SiteFile, SiteKind, path_text};
use crate::site::file_set::FileSet;
use crate::site::file_set::shape::FileShape;
use crate::site::fill::on_share::ShareFill;
use crate::site::fill::{Prepared, Preparing};
use crate::site::needs::Needs;
use crate::site::permission::Overwrite;
use crate::site::refusal::{SiteError, unsuitable};
use crate::site::scratch::removal::FILES;
use crate::site::space::SpaceNeeded;
use crate::site::{Site, space};
use crate::system::files::Room;

/// The size of files if neither the user nor the server gives one: small enough for any share.
const UNTOLD_ROOM_BYTES: u64 = 64 << 20;

/// Claims a path on a share: a folder, a file that exists, or one that does not exist yet.
pub fn claim(
    remote: &Remote,
    needs: &Needs,
    admission: &Admission,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    if needs.keep {
        return Err(unsuitable(format!(
            "{remote}: files on shares are not kept for later runs: omit keep"
        )));
    }
    let login = &admission.login;
    let secret = login.secrets.of(remote).cloned();
    let share = shares::connect_unless(&login.stop, remote, secret.as_ref(), &login.choice)?;
    let path = remote.below_share().to_string();
    let found = share.lock().look_up(&path)?;
    let has_prefixes = share.lock().has_prefixes();
    let target = ShareTarget {
        remote,
        share,
        path,
        needs,
    };
    let mut site = match found {
        Some(entry) if entry.is_folder => target.folder(preparing),
        Some(_) if needs.file_set.is_some() => Err(unsuitable(format!(
            "{remote} is a file: file operations require a folder; name one"
        ))),
        Some(entry) => target.existing_file(entry.size_bytes, &admission.overwrite, preparing),
        // Nothing is made by the name itself: the next key with this beginning may be another's.
        None if has_prefixes => target.folder(preparing),
        None => target.new_file(preparing),
    }?;
    site.fresh = needs.fresh;
    site.secret = secret;
    site.stop = login.stop.clone();
    Ok(site)
}

/// What a site on a share is made of.
struct ShareTarget<'a> {
    remote: &'a Remote,
    share: SharedShare,
    /// Below the share.
    path: String,
    needs: &'a Needs,
}

impl ShareTarget<'_> {
    fn empty_site(&self) -> Site {
        let mut site = Site::new(SiteKind::Share, &PathBuf::from(self.remote.to_string()));
        site.cleanup.on_share = Some(OnShare {
            remote: self.remote.clone(),
            share: self.share.clone(),
            made: Vec::new(),
        });
        site
    }

    /// Remembers what must go at the end.
    fn made(&self, site: &mut Site, path: &str) {
        if let Some(on_share) = &mut site.cleanup.on_share {
            on_share.made.push(path.to_string());
        }
    }

    /// Of 0 bytes where not reported by the server.
    fn room(&self) -> Result<Room, SiteError> {
        let room = self.share.lock().room()?;
        // Servers do not report free inodes.
        Ok(Room {
            free_bytes: room.map_or(0, |room| room.free_bytes),
            total_bytes: room.map_or(0, |room| room.total_bytes),
            free_files: None,
        })
    }

    fn needed_bytes(&self, room: &Room) -> Result<u64, SiteError> {
        let name = self.remote.to_string();
        let of_room = || match room.total_bytes {
            // The user is informed that it is unknown.
            0 => Ok(space::round_down_to_blocks(
                UNTOLD_ROOM_BYTES,
                self.needs.block_bytes,
            )),
            _ => space::default_bytes(room, self.needs.block_bytes, &name),
        };
        let size = self.needs.size_bytes.map_or_else(of_room, Ok)?;
        self.needs.at_least_a_block(size, &name)
    }

    fn folder(&self, preparing: &mut Preparing<'_>) -> Result<Site, SiteError> {
        let (needs, name) = (self.needs, self.remote.to_string());
        let mut site = self.empty_site();
        let room = self.room()?;
        site.warnings = self.warn_of_room(&room);
        site.warnings.extend(self.warn_of_stale());
        let sized = Needs {
            size_bytes: Some(self.needed_bytes(&room)?),
            ..needs.clone()
        };
        let files_needed = needed_files(&name, &sized, None)?;
        let bytes: u64 = files_needed.iter().map(|(_, _, len)| len).sum();
        // Servers do not report free inodes.
        space::check(
            &room,
            &SpaceNeeded {
                bytes,
                set: needs.file_set,
                ..SpaceNeeded::default()
            },
            &name,
        )?;
        let scratch = self.make_scratch()?;
        self.made(&mut site, &scratch);
        site.folder_name = scratch.rsplit('/').next().map(str::to_string);
        match self.furnish(&mut site, &scratch, files_needed, preparing) {
            Ok(()) => Ok(site),
            Err(error) => Err(self.given_back(site, error)),
        }
    }

    /// Makes and fills the files of a folder that plumb has made.
    fn furnish(
        &self,
        site: &mut Site,
        scratch: &str,
        files_needed: Vec<(String, u64, u64)>,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), SiteError> {
        let needs = self.needs;
        let bytes: u64 = files_needed.iter().map(|(_, _, len)| len).sum();
        let mut done_bytes = 0;
        for (index, (file, start, len)) in files_needed.into_iter().enumerate() {
            let path = share::join(scratch, &file);
            let file = site_file(index as u32, &path, start, len);
            let made = self.make(&file, preparing, &mut done_bytes, bytes)?;
            site.prepared.extend(made);
            site.files.push(file);
        }
        site.has_shared = needs.shared;
        if needs.file_set.is_some() {
            let mut set = FileSet::on_share(self.share.clone(), &share::join(scratch, FILES));
            set.reset(0, FileShape::default(), preparing)?;
            site.file_set = Some(set);
        }
        Ok(())
    }

    /// A site that could not be made ready is removed again; where that fails too, the error names what stays.
    fn given_back(&self, site: Site, error: SiteError) -> SiteError {
        match (error, site.release()) {
            (SiteError::Share(error), Err(SiteError::Share(left))) => {
                let kind = error.kind;
                let why = Statement::new("clauses")
                    .part("first", error.why)
                    .part("rest", left.why);
                SiteError::Share(ShareError { kind, why })
            }
            (SiteError::Stopped, Err(left)) => left,
            (error, _) => error,
        }
    }

    fn new_file(&self, preparing: &mut Preparing<'_>) -> Result<Site, SiteError> {
        if self.needs.file_set.is_some() {
            return Err(unsuitable(format!(
                "{} does not exist: file operations require a folder; create it, or name another",
                self.remote
            )));
        }
        let room = self.room()?;
        let len = self.needed_bytes(&room)?;
        space::check(
            &room,
            &SpaceNeeded {
                bytes: len,
                ..SpaceNeeded::default()
            },
            &self.remote.to_string(),
        )?;
        let mut site = self.empty_site();
        site.warnings = self.warn_of_room(&room);
        let file = site_file(0, &self.path, self.needs.start, len);
        // Its folder may be missing: then nothing was made, and nothing is to be removed.
        let filled = self.make(&file, preparing, &mut 0, len);
        if !matches!(&filled, Err(SiteError::Share(error)) if matches!(error.kind, ShareErrorKind::NotFound | ShareErrorKind::Exists))
        {
            self.made(&mut site, &self.path);
        }
        match filled {
            Ok(filled) => site.prepared.extend(filled),
            Err(error) => return Err(self.given_back(site, error)),
        }
        site.files.push(file);
        Ok(site)
    }

    fn existing_file(
        &self,
        own: u64,
        overwrite: &Overwrite,
        preparing: &mut Preparing<'_>,
    ) -> Result<Site, SiteError> {
        let (needs, name) = (self.needs, self.remote.to_string());
        if needs.modifies && *overwrite == Overwrite::No {
            return Err(SiteError::Refused(format!(
                "{name} is a file of {} that plumb did not create, and would be overwritten: add --overwrite to allow it, or name a folder",
                show_bytes(own as f64)
            )));
        }
        if needs.fresh {
            return Err(unsuitable(format!(
                "{name} is not truncated: plumb did not create this file; omit fresh, or name a folder or a new file"
            )));
        }
        let rest = own.saturating_sub(needs.start);
        if let Some(requested) = needs.size_bytes.filter(|requested| *requested > rest) {
            return Err(unsuitable(format!(
                "{name} has {own} bytes, and {requested} bytes at offset {} were requested: use --size {rest} or less, or name a new file",
                needs.start
            )));
        }
        let len = needs.at_least_a_block(needs.needed_bytes(rest), &name)?;
        let mut site = self.empty_site();
        let file = site_file(0, &self.path, needs.start, len);
        if needs.verify && needs.modifies {
            site.prepared
                .push(self.fill(&file, false, preparing, &mut 0, len)?);
        }
        site.files.push(file);
        Ok(site)
    }

    fn make_scratch(&self) -> Result<String, SiteError> {
        loop {
            let random = std::hash::RandomState::new().build_hasher().finish();
            let path = share::join(&self.path, &format!("{OWN_PREFIX}{random:016x}"));
            let made = self.share.lock().make_folder(&path);
            match made {
                Ok(()) => return Ok(path),
                Err(ShareError {
                    kind: ShareErrorKind::Exists,
                    ..
                }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Where not reported by the servers free space, nothing but the size keeps the share from being filled.
    fn warn_of_room(&self, room: &Room) -> Vec<Statement> {
        let name = self.remote.to_string();
        let unknown = Statement::new("free-space-is-not-told").name("place", name);
        Vec::from_iter((room.total_bytes == 0).then_some(unknown))
    }

    /// Lists existing scratch folders. Whether their run is still active is not visible from here.
    fn warn_of_stale(&self) -> Vec<Statement> {
        let stale = self.share.folders_of_runs(&self.path).unwrap_or_default();
        stale
            .into_iter()
            .map(|name| {
                let folder = format!("{}/{name}", self.remote);
                Statement::new("folder-of-another-run").name("folder", folder)
            })
            .collect()
    }

    /// Makes a new file: filled, or empty where steps write it before they read it.
    fn make(
        &self,
        file: &SiteFile,
        preparing: &mut Preparing<'_>,
        done_bytes: &mut u64,
        total_bytes: u64,
    ) -> Result<Option<Prepared>, SiteError> {
        if !self.needs.fresh {
            return self
                .fill(file, true, preparing, done_bytes, total_bytes)
                .map(Some);
        }
        let path = path_text(&file.path);
        let mut nothing = |_: u64, _: &mut [u8]| true;
        let mut share = self.share.lock();
        share.write_file(&path, true, 0, 0, &mut nothing)?;
        Ok(None)
    }

    fn fill(
        &self,
        file: &SiteFile,
        is_new: bool,
        preparing: &mut Preparing<'_>,
        done_bytes: &mut u64,
        total_bytes: u64,
    ) -> Result<Prepared, SiteError> {
        let on_share = ShareFill {
            remote: self.remote,
            share: &self.share,
            block_bytes: self.needs.block_bytes,
        };
        on_share.fill(file, is_new, preparing, done_bytes, total_bytes)
    }
}

/// Takes up what another process has made on a share: nothing is made, filled or removed.
pub fn join(
    remote: &Remote,
    needs: &Needs,
    login: &ShareLogin,
    joint: &JointTarget,
) -> Result<Site, SiteError> {
    let secret = login.secrets.of(remote).cloned();
    let share = shares::connect_unless(&login.stop, remote, secret.as_ref(), &login.choice)?;
    let path = remote.below_share().to_string();
    let mut site = Site::new(SiteKind::Share, &PathBuf::from(remote.to_string()));
    match &joint.folder {
        Some(folder) => {
            let folder = share::join(&path, folder);
            let files_needed = needed_files(&remote.to_string(), needs, None)?;
            let files = files_needed
                .iter()
                .zip(0..)
                .map(|((name, start, len), index)| {
                    site_file(index, &share::join(&folder, name), *start, *len)
                });
            site.files = files.collect();
            site.has_shared = needs.shared;
            site.file_set = needs
                .file_set
                .map(|_| FileSet::on_share(share.clone(), &share::join(&folder, FILES)));
        }
        None => site
            .files
            .push(site_file(0, &path, needs.start, joint.size_bytes)),
    }
    site.cleanup.on_share = Some(OnShare {
        remote: remote.clone(),
        share,
        made: Vec::new(),
    });
    site.secret = secret;
    site.stop = login.stop.clone();
    Ok(site)
}

fn site_file(index: u32, path: &str, start: u64, len: u64) -> SiteFile {
    SiteFile {
        index,
        path: PathBuf::from(path),
        start,
        len,
        kind: SiteKind::Share,
        identity: None,
        folder: None,
    }
}
