//! What is reported of a path that was opened, and what is the file called then?

use std::sync::Arc;

/// A path as a program requested it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestedPath {
    pub thread: u32,
    /// About when its open ended, by the clock of the tracepoints' records.
    pub at_ns: u64,
    pub path: String,
    /// What the thread's working directory was called a moment later, for a path that does not begin at the root; missing when it was not to be found out.
    pub folder: Option<String>,
}

/// Paths that stand for a descriptor, and not for a file.
const DESCRIPTORS: [&str; 5] = [
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd/",
    "/proc/self/fd/",
];

/// Where a path goes from that does not begin at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    pub path: Arc<str>,
    /// The kernel called it so, without links: `..` is the folder above it by name, too.
    pub is_resolved: bool,
}

impl RequestedPath {
    /// The full path as the program requested it, without steps that lead nowhere (`/./`, `//`); missing when it stands for a descriptor, or begins at a folder
    /// that is not known.
    pub fn name(&self, folder: Option<&Folder>) -> Option<String> {
        if DESCRIPTORS.iter().any(|begin| self.path.starts_with(begin)) {
            return None;
        }
        let folder = match self.path.starts_with('/') {
            true => None,
            false => Some(folder?),
        };
        let begin = folder.map_or("", |folder| &folder.path);
        let mut steps: Vec<&str> = begin.split('/').collect();
        let leads_somewhere = |step: &&str| !matches!(*step, "" | ".");
        steps.retain(leads_somewhere);
        // Up from a folder that is known; what follows a name may follow a link.
        let mut is_resolved = folder.is_some_and(|folder| folder.is_resolved);
        for step in self.path.split('/').filter(leads_somewhere) {
            is_resolved &= step == "..";
            match is_resolved {
                true => drop(steps.pop()),
                false => steps.push(step),
            }
        }
        Some(format!("/{}", steps.join("/")))
    }

    /// The working directory after a call that changed it to this path: as the kernel called it then, or as it was requested.
    pub fn changed_to(&self, from: Option<&Folder>) -> Option<Folder> {
        if let Some(path) = &self.folder {
            let (path, is_resolved) = (path.as_str().into(), true);
            return Some(Folder { path, is_resolved });
        }
        // Ways up through what may be links would grow with each change.
        let goes_up = self.path.split('/').any(|step| step == "..");
        Some(Folder {
            path: self.name(from).filter(|_| !goes_up)?.into(),
            is_resolved: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(path: &str, folder: Option<&str>) -> RequestedPath {
        RequestedPath {
            thread: 1,
            at_ns: 1,
            path: path.into(),
            folder: folder.map(str::to_string),
        }
    }

    #[test]
    fn a_folder_is_changed_to_what_the_kernel_calls_it_or_to_what_was_asked_for() {
        let folder = |path: &str, is_resolved| Folder {
            path: path.into(),
            is_resolved,
        };
        let from = folder("/tmp/x", true);
        let changed =
            |path: &str, reported: Option<&str>| requested(path, reported).changed_to(Some(&from));
        assert_eq!(changed("..", Some("/tmp")), Some(folder("/tmp", true)));
        assert_eq!(changed("a", None), Some(folder("/tmp/x/a", false)));
        assert_eq!(changed("/a/b", None), Some(folder("/a/b", false)));
        assert_eq!(changed("a/..", None), None);
        assert_eq!(requested("a", None).changed_to(None), None);
    }

    #[test]
    fn a_path_begins_at_the_root_or_at_a_folder_that_is_known() {
        let name_from = |path: &str, folder: Option<&str>, is_resolved| {
            let folder = folder.map(|folder| Folder {
                path: folder.into(),
                is_resolved,
            });
            requested(path, None).name(folder.as_ref())
        };
        let name = |path, folder| name_from(path, folder, true);
        let is = |name: &str| Some(name.to_string());
        assert_eq!(name("/a//b/./c/", None), is("/a/b/c"));
        assert_eq!(name("./a/../b", Some("/tmp/x")), is("/tmp/x/a/../b"));
        assert_eq!(name("../.././a", Some("/tmp/x/y")), is("/tmp/a"));
        assert_eq!(name("../../..", Some("/tmp")), is("/"));
        let by_link = name_from("../a", Some("/tmp/link"), false);
        assert_eq!(by_link, is("/tmp/link/../a"));
        assert_eq!(name("a", Some("/")), is("/a"));
        assert_eq!(name(".", Some("/")), is("/"));
        assert_eq!(name("a", None), None);
        assert_eq!(name("/dev/fd/3", None), None);
    }
}
