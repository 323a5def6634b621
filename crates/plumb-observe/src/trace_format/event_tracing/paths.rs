//! What does a user of Windows call a file that its kernel names by its device?

/// Devices whose files are pipes and the like.
const NOT_FILES: [&str; 3] = [r"\Device\NamedPipe", r"\Device\Mailslot", r"\Device\ConDrv"];
/// Where paths of shares begin.
const REDIRECTORS: [&str; 2] = [r"\Device\Mup", r"\Device\LanmanRedirector"];

/// Devices and the letters that stand for them on this machine: `\Device\HarddiskVolume3`, `C:`.
pub type Letters = Vec<(String, String)>;

/// What follows a device in a path; `None` where the path is of another one.
fn behind<'a>(path: &'a str, device: &str) -> Option<&'a str> {
    let (head, rest) = path.split_at_checked(device.len())?;
    let is_complete = rest.is_empty() || rest.starts_with('\\');
    (is_complete && head.eq_ignore_ascii_case(device)).then_some(rest)
}

/// Whether the kernel's path is that of a file or folder, and not of a pipe or the like.
pub fn is_file(path: &str) -> bool {
    !NOT_FILES
        .iter()
        .any(|device| behind(path, device).is_some())
}

/// The name of the file; `None` where the path does not say which one it is: it is empty, or begins in a folder that is open.
pub fn shown(path: &str, letters: &Letters) -> Option<String> {
    if !path.starts_with('\\') {
        return None;
    }
    if let Some(rest) = REDIRECTORS.iter().find_map(|device| behind(path, device)) {
        // Which redirector and which connected drive: `\;LanmanRedirector\;Z:000000000001e0a3\server\share`.
        let parts = rest.split('\\').filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.skip_while(|part| part.starts_with(';')).collect();
        return (!parts.is_empty()).then(|| format!(r"\\{}", parts.join(r"\")));
    }
    let lettered = letters.iter().find_map(|(device, letter)| {
        let rest = behind(path, device)?;
        Some(format!(
            "{letter}{}",
            if rest.is_empty() { r"\" } else { rest }
        ))
    });
    Some(lettered.unwrap_or_else(|| path.to_string()))
}
