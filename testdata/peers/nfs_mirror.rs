//! Which NFS 3 server has no COMMIT? The one of the crate nfsserve, which writes to its disk before it answers; here over a folder.

#![allow(dead_code)]

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nfsserve::fs_util::{metadata_to_fattr3, path_setattr};
use nfsserve::nfs::{fattr3, fileid3, filename3, nfspath3, nfsstat3, sattr3};
use nfsserve::tcp::{NFSTcp, NFSTcpListener};
use nfsserve::vfs::{DirEntry, NFSFileSystem, ReadDirResult, VFSCapabilities};

/// Serves this folder until the process ends; returns its port, which is that of MOUNT too.
pub fn serve(folder: &Path) -> u16 {
    let mirror = Mirror {
        names: Mutex::default(),
    };
    mirror.number(folder.to_path_buf());
    let (say, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = NFSTcpListener::bind("127.0.0.1:0", mirror)
                .await
                .expect("a port");
            say.send(listener.get_listen_port()).expect("told");
            listener.handle_forever().await
        })
    });
    told.recv().expect("the port")
}

struct Mirror {
    names: Mutex<Names>,
}

/// Files by number, and numbers by file; the folder itself is number 1.
#[derive(Default)]
struct Names {
    paths: HashMap<fileid3, PathBuf>,
    numbers: HashMap<PathBuf, fileid3>,
}

type Got<T> = Result<T, nfsstat3>;

impl Mirror {
    fn number(&self, path: PathBuf) -> fileid3 {
        let mut names = self.names.lock().expect("names");
        if let Some(number) = names.numbers.get(&path) {
            return *number;
        }
        let number = names.paths.len() as fileid3 + 1;
        names.paths.insert(number, path.clone());
        names.numbers.insert(path, number);
        number
    }

    fn path(&self, number: fileid3) -> Got<PathBuf> {
        let names = self.names.lock().expect("names");
        names
            .paths
            .get(&number)
            .cloned()
            .ok_or(nfsstat3::NFS3ERR_STALE)
    }

    fn within(&self, folder: fileid3, name: &filename3) -> Got<PathBuf> {
        let name = std::str::from_utf8(name).map_err(|_| nfsstat3::NFS3ERR_INVAL)?;
        Ok(self.path(folder)?.join(name))
    }

    fn attributes(&self, number: fileid3) -> Got<fattr3> {
        let found = self.path(number)?.symlink_metadata().map_err(status)?;
        Ok(metadata_to_fattr3(number, &found))
    }

    fn with_attributes(&self, path: PathBuf) -> Got<(fileid3, fattr3)> {
        let number = self.number(path);
        Ok((number, self.attributes(number)?))
    }
}

fn status(error: std::io::Error) -> nfsstat3 {
    match error.kind() {
        ErrorKind::NotFound => nfsstat3::NFS3ERR_NOENT,
        ErrorKind::AlreadyExists => nfsstat3::NFS3ERR_EXIST,
        ErrorKind::DirectoryNotEmpty => nfsstat3::NFS3ERR_NOTEMPTY,
        _ => nfsstat3::NFS3ERR_IO,
    }
}

#[async_trait::async_trait]
impl NFSFileSystem for Mirror {
    fn capabilities(&self) -> VFSCapabilities {
        VFSCapabilities::ReadWrite
    }

    fn root_dir(&self) -> fileid3 {
        1
    }

    async fn lookup(&self, folder: fileid3, name: &filename3) -> Got<fileid3> {
        let path = self.within(folder, name)?;
        path.symlink_metadata().map_err(status)?;
        Ok(self.number(path))
    }

    async fn getattr(&self, number: fileid3) -> Got<fattr3> {
        self.attributes(number)
    }

    async fn setattr(&self, number: fileid3, wanted: sattr3) -> Got<fattr3> {
        path_setattr(&self.path(number)?, &wanted).await?;
        self.attributes(number)
    }

    async fn read(&self, number: fileid3, offset: u64, count: u32) -> Got<(Vec<u8>, bool)> {
        let file = File::open(self.path(number)?).map_err(status)?;
        let rest = file
            .metadata()
            .map_err(status)?
            .len()
            .saturating_sub(offset);
        let mut bytes = vec![0; rest.min(u64::from(count)) as usize];
        file.read_exact_at(&mut bytes, offset).map_err(status)?;
        Ok((bytes, rest <= u64::from(count)))
    }

    async fn write(&self, number: fileid3, offset: u64, data: &[u8]) -> Got<fattr3> {
        let file = OpenOptions::new().write(true).open(self.path(number)?);
        let file = file.map_err(status)?;
        file.write_all_at(data, offset).map_err(status)?;
        self.attributes(number)
    }

    async fn create(
        &self,
        folder: fileid3,
        name: &filename3,
        wanted: sattr3,
    ) -> Got<(fileid3, fattr3)> {
        let path = self.within(folder, name)?;
        File::create(&path).map_err(status)?;
        path_setattr(&path, &wanted).await?;
        self.with_attributes(path)
    }

    async fn create_exclusive(&self, folder: fileid3, name: &filename3) -> Got<fileid3> {
        let path = self.within(folder, name)?;
        File::create_new(&path).map_err(status)?;
        Ok(self.number(path))
    }

    async fn mkdir(&self, folder: fileid3, name: &filename3) -> Got<(fileid3, fattr3)> {
        let path = self.within(folder, name)?;
        std::fs::create_dir(&path).map_err(status)?;
        self.with_attributes(path)
    }

    async fn remove(&self, folder: fileid3, name: &filename3) -> Got<()> {
        let path = self.within(folder, name)?;
        let removed = if path.is_dir() {
            std::fs::remove_dir(path)
        } else {
            std::fs::remove_file(path)
        };
        removed.map_err(status)
    }

    async fn rename(
        &self,
        from_folder: fileid3,
        from: &filename3,
        to_folder: fileid3,
        to: &filename3,
    ) -> Got<()> {
        let (from, to) = (self.within(from_folder, from)?, self.within(to_folder, to)?);
        std::fs::rename(&from, &to).map_err(status)?;
        let number = self.number(from.clone());
        let mut names = self.names.lock().expect("names");
        names.numbers.remove(&from);
        names.numbers.insert(to.clone(), number);
        names.paths.insert(number, to);
        Ok(())
    }

    async fn readdir(
        &self,
        folder: fileid3,
        start_after: fileid3,
        max_entries: usize,
    ) -> Got<ReadDirResult> {
        let listed = std::fs::read_dir(self.path(folder)?).map_err(status)?;
        let mut found: Vec<(fileid3, filename3)> = listed
            .flatten()
            .map(|entry| {
                let name = entry.file_name().into_encoded_bytes();
                (self.number(entry.path()), name.as_slice().into())
            })
            .filter(|(number, _)| *number > start_after)
            .collect();
        found.sort_by_key(|(number, _)| *number);
        let end = found.len() <= max_entries;
        let entries: Got<Vec<DirEntry>> = found
            .into_iter()
            .take(max_entries)
            .map(|(fileid, name)| {
                let attr = self.attributes(fileid)?;
                Ok(DirEntry { fileid, name, attr })
            })
            .collect();
        Ok(ReadDirResult {
            entries: entries?,
            end,
        })
    }

    async fn symlink(
        &self,
        _: fileid3,
        _: &filename3,
        _: &nfspath3,
        _: &sattr3,
    ) -> Got<(fileid3, fattr3)> {
        Err(nfsstat3::NFS3ERR_NOTSUPP)
    }

    async fn readlink(&self, _: fileid3) -> Got<nfspath3> {
        Err(nfsstat3::NFS3ERR_NOTSUPP)
    }
}
