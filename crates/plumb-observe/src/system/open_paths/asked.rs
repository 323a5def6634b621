//! What is told of a path that was opened, and what is the file called then?

/// A path as a program asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedPath {
    pub thread: u32,
    /// When its open ended, by the clock of the tracepoints' records.
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

impl AskedPath {
    /// The whole path as the program asked for it, without steps that lead nowhere (`/./`, `//`); missing when it stands for a descriptor, or begins at a folder
    /// that is not known.
    pub fn name(&self, folder: Option<&str>) -> Option<String> {
        if DESCRIPTORS.iter().any(|begin| self.path.starts_with(begin)) {
            return None;
        }
        let folder = match self.path.starts_with('/') {
            true => "",
            false => folder?,
        };
        let steps = folder.split('/').chain(self.path.split('/'));
        let mut name = String::with_capacity(folder.len() + self.path.len() + 1);
        for step in steps.filter(|step| !matches!(*step, "" | ".")) {
            name.push('/');
            name.push_str(step);
        }
        Some(if name.is_empty() { "/".into() } else { name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_at_the_root_or_at_a_folder_that_is_known() {
        let name = |path: &str, folder: Option<&str>| {
            let asked = AskedPath {
                thread: 1,
                at_ns: 1,
                path: path.into(),
                folder: None,
            };
            asked.name(folder)
        };
        let is = |name: &str| Some(name.to_string());
        assert_eq!(name("/a//b/./c/", None), is("/a/b/c"));
        assert_eq!(name("./a/../b", Some("/tmp/x")), is("/tmp/x/a/../b"));
        assert_eq!(name("a", Some("/")), is("/a"));
        assert_eq!(name(".", Some("/")), is("/"));
        assert_eq!(name("a", None), None);
        assert_eq!(name("/dev/fd/3", None), None);
    }
}
