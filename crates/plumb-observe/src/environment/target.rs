//! What is the target itself: a directory, file or device, its size, whether it is written and cached, and does O_DIRECT work?

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use plumb_model::environment::{Environment, Fact};

use crate::environment::fact::number_fact;
use crate::system::kernel_files::Known;
use crate::system::{self, DirectTrial, Identity, Kind};

/// Kernel numbers of a target's location, which identify mount and device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetPath {
    /// The target, or, if it is missing, the nearest existing parent folder; symlinks resolved.
    pub existing: PathBuf,
    /// Major and minor number of the device under its file system.
    pub device: (u32, u32),
    pub mount_id: Option<u64>,
    /// Major and minor number when the target is a block device.
    pub block_device: Option<(u32, u32)>,
    pub is_compressed: Option<bool>,
}

/// Sets the facts of the target at `path`. `trial`: test O_DIRECT with real I/O.
pub(crate) fn look(path: &Path, trial: bool, environment: &mut Environment) -> TargetPath {
    let (existing, is_missing) = resolve(path);
    let absolute = plain(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let resolved = match is_missing {
        false => existing.clone(),
        // The part that is missing follows the part that was resolved.
        true => existing.join(
            absolute
                .components()
                .skip(missing_from(&absolute))
                .collect::<PathBuf>(),
        ),
    };
    let identity = system::identity(&existing);
    let kind = match identity.as_ref().map(|identity| identity.kind) {
        _ if is_missing => "missing",
        Ok(Kind::Directory) => "directory",
        Ok(Kind::File) => "file",
        Ok(Kind::BlockDevice) => "block-device",
        Ok(Kind::CharacterDevice) => "character-device",
        Ok(Kind::Other) => "other",
        Err(_) => "missing",
    };
    environment.set("target.path", Fact::Text(resolved.display().to_string()));
    environment.set("target.symlink", Fact::Flag(resolved != absolute));
    environment.set("target.kind", Fact::Text(kind.into()));
    let is_device = kind == "block-device";
    if let ("file", Ok(identity)) = (kind, &identity) {
        look_into_file(&existing, identity.size_bytes, environment);
    }
    if is_device {
        look_into_device(&existing, environment);
    }
    if trial && ["directory", "file", "block-device", "missing"].contains(&kind) {
        look_at_direct(
            &existing,
            &resolved,
            kind,
            identity.as_ref().ok(),
            environment,
        );
    }
    let identity = identity.ok();
    TargetPath {
        device: identity.as_ref().map_or((0, 0), |identity| identity.device),
        mount_id: identity.as_ref().and_then(|identity| identity.mount_id),
        block_device: identity
            .as_ref()
            .filter(|_| is_device)
            .map(|identity| identity.stands_for),
        is_compressed: identity
            .as_ref()
            .and_then(|identity| identity.is_compressed),
        existing,
    }
}

/// The path with symlinks resolved; when it does not exist, the nearest folder above that does, and true.
fn resolve(path: &Path) -> (PathBuf, bool) {
    let canonical = |path: &Path| std::fs::canonicalize(path).map(|path| as_users_write(&path));
    if let Ok(existing) = canonical(path) {
        return (existing, false);
    }
    let absolute = plain(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let above = absolute
        .ancestors()
        .skip(1)
        .find_map(|above| canonical(above).ok());
    (above.unwrap_or_else(|| PathBuf::from("/")), true)
}

/// Windows resolves `C:\x` to `\\?\C:\x` and `\\server\share` to `\\?\UNC\server\share`, which is another way to write the same ("Maximum Path Length Limitation").
fn as_users_write(path: &Path) -> PathBuf {
    let Some(text) = path.to_str() else {
        return path.to_owned();
    };
    match text.strip_prefix(r"\\?\") {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(rest) => PathBuf::from(format!(r"\\{rest}")),
            None => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

/// Number of leading components of `absolute` that exist.
fn missing_from(absolute: &Path) -> usize {
    let existing = absolute
        .ancestors()
        .find(|above| std::fs::canonicalize(above).is_ok());
    existing.map_or(0, |existing| existing.components().count())
}

/// `/a/../b` as `/b`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn open(path: &Path) -> Known<File> {
    File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))
}

fn look_into_file(path: &Path, size_bytes: u64, environment: &mut Environment) {
    environment.set("target.size_bytes", Fact::Number(size_bytes as f64));
    let file = open(path);
    let unwritten = file.as_ref().map_err(String::clone).and_then(|file| {
        system::unwritten_bytes(file, size_bytes).map_err(|error| {
            format!("the file system does not report which parts were written: {error}")
        })
    });
    environment.set(
        "target.unwritten_bytes",
        number_fact(unwritten.map(|bytes| bytes as f64)),
    );
    environment.set(
        "target.cached_bytes",
        number_fact(cached(&file, size_bytes)),
    );
}

fn look_into_device(path: &Path, environment: &mut Environment) {
    // Seeking to the end reports the size of a block device to everyone who may open it.
    let file = open(path);
    let size_bytes = file.as_ref().map_err(String::clone).and_then(|mut file| {
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))
            .map_err(|error| format!("cannot find the end of {}: {error}", path.display()))
    });
    let reason = "a block device does not report which of its blocks were never written".to_owned();
    environment.set("target.unwritten_bytes", Fact::Unknown(reason));
    environment.set(
        "target.cached_bytes",
        number_fact(
            size_bytes
                .clone()
                .and_then(|size_bytes| cached(&file, size_bytes)),
        ),
    );
    environment.set(
        "target.size_bytes",
        number_fact(size_bytes.map(|bytes| bytes as f64)),
    );
}

fn cached(file: &Known<File>, size_bytes: u64) -> Known<f64> {
    let file = file.as_ref().map_err(String::clone)?;
    let bytes = system::cached_bytes(file, size_bytes)
        .map_err(|error| format!("the kernel does not report what is cached: {error}"))?;
    Ok(bytes as f64)
}

fn look_at_direct(
    existing: &Path,
    resolved: &Path,
    kind: &str,
    identity: Option<&Identity>,
    environment: &mut Environment,
) {
    let (outcome, told_bytes) = match kind {
        "directory" => system::try_direct_in(existing),
        "missing" if resolved.parent() == Some(existing) => system::try_direct_in(existing),
        "missing" => (
            DirectTrial::Untried(format!(
                "{} does not exist",
                resolved.parent().unwrap_or(resolved).display()
            )),
            None,
        ),
        _ => (
            system::try_direct_read(existing),
            identity.and_then(|identity| identity.direct_alignment_bytes),
        ),
    };
    // Some file systems take the flag and go through the page cache all the same (ext4 with data=journal); statx then reports an alignment of 0.
    let outcome = match (outcome, told_bytes) {
        (DirectTrial::Works(_), Some(0)) => DirectTrial::Refused(
            "the file system accepts O_DIRECT but uses the page cache (statx reports a direct I/O alignment of 0)"
                .into(),
        ),
        (outcome, _) => outcome,
    };
    match outcome {
        DirectTrial::Works(smallest_bytes) => {
            environment.set("target.direct", Fact::Flag(true));
            environment.set(
                "target.direct_alignment_bytes",
                Fact::Number(told_bytes.unwrap_or(smallest_bytes) as f64),
            );
        }
        DirectTrial::Refused(reason) => {
            environment.set("target.direct", Fact::Flag(false));
            environment.set("target.direct_refusal", Fact::Text(reason));
        }
        DirectTrial::Untried(reason) => {
            environment.set(
                "target.direct_alignment_bytes",
                Fact::Unknown(reason.clone()),
            );
            environment.set("target.direct", Fact::Unknown(reason));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    /// A path on a machine that is only a fixture.
    pub(crate) fn target_path(path: &str, device: (u32, u32)) -> TargetPath {
        TargetPath {
            existing: PathBuf::from(path),
            device,
            mount_id: None,
            block_device: None,
            is_compressed: None,
        }
    }

    fn facts_of(path: &Path) -> Environment {
        let mut environment = Environment::default();
        look(path, true, &mut environment);
        environment
    }

    #[test]
    fn the_unwritten_part_of_a_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let mut file = File::create(&path).unwrap();
        file.write_all(&[1u8; 1 << 20]).unwrap();
        file.set_len(4 << 20).unwrap();
        let facts = facts_of(&path);
        if let Fact::Unknown(reason) = &facts.facts["target.unwritten_bytes"] {
            eprintln!("skipped: {reason}");
            return;
        }
        assert_eq!(facts.number("target.size_bytes"), Some((4 << 20) as f64));
        assert_eq!(
            facts.number("target.unwritten_bytes"),
            Some((3 << 20) as f64)
        );
        file.write_all(&[2u8; 3 << 20]).unwrap();
        assert_eq!(facts_of(&path).number("target.unwritten_bytes"), Some(0.0));
        assert_eq!(
            facts_of(&path).number("target.cached_bytes"),
            Some((4 << 20) as f64),
            "just written and not dropped"
        );
    }

    #[test]
    fn another_way_to_write_a_path_is_no_symlink() {
        for (canonical, written) in [
            (r"\\?\C:\data\x", r"C:\data\x"),
            (r"\\?\UNC\nas\backup\x", r"\\nas\backup\x"),
            (r"\\?\Volume{1}\x", r"\\?\Volume{1}\x"),
            ("/data/x", "/data/x"),
        ] {
            assert_eq!(as_users_write(Path::new(canonical)), Path::new(written));
        }
    }

    #[test]
    fn a_symlink_and_a_missing_target_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let folder = as_users_write(&folder.path().canonicalize().unwrap());
        std::fs::create_dir(folder.join("real")).unwrap();
        let plain = facts_of(&folder.join("real/../real"));
        assert_eq!(plain.flag("target.symlink"), Some(false));
        assert_eq!(plain.text("target.kind"), Some("directory"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.join("real"), folder.join("link")).unwrap();
            let linked = facts_of(&folder.join("link"));
            assert_eq!(linked.flag("target.symlink"), Some(true));
            assert_eq!(linked.text("target.path"), folder.join("real").to_str());
            let missing = facts_of(&folder.join("link/no/such"));
            assert_eq!(missing.text("target.kind"), Some("missing"));
            assert_eq!(
                missing.text("target.path"),
                folder.join("real/no/such").to_str()
            );
            assert!(
                matches!(&missing.facts["target.direct"], Fact::Unknown(why) if why.contains("does not exist")),
                "{missing:?}"
            );
        }
    }

    #[test]
    fn the_trial_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let facts = facts_of(folder.path());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        match &facts.facts["target.direct"] {
            Fact::Flag(true) => {
                assert!(facts.number("target.direct_alignment_bytes").unwrap() >= 1.0)
            }
            Fact::Flag(false) => assert!(facts.text("target.direct_refusal").is_some()),
            other => assert!(matches!(other, Fact::Unknown(_)), "{other:?}"),
        }
    }
}
