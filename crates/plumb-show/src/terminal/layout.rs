//! How is text laid out in columns? Terminal widths, padding, wrapping, and escaping of control characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of a text in a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text with control characters escaped: a file name may contain escape sequences. They are shown as `\u{1b}`.
pub fn printable(text: &str) -> String {
    shown(text, |_| false)
}

/// Like [`printable`], but keeps line breaks and tabs.
pub fn printable_lines(text: &str) -> String {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

/// For complete output: like [`printable_lines`], but keeps the page's own color codes.
pub fn printable_page(text: &str, colour: bool) -> String {
    if !colour {
        return printable_lines(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out += &printable_lines(&rest[..at]);
        rest = &rest[at..];
        let own = TONES
            .iter()
            .map(|code| format!("\x1b[{code}m"))
            .find(|own| rest.starts_with(own.as_str()));
        let taken = own.as_ref().map_or(1, String::len);
        out += &own.unwrap_or_else(|| printable(&rest[..taken]));
        rest = &rest[taken..];
    }
    out + &printable_lines(rest)
}

/// Escapes control characters, and those that change the direction of text (Unicode 15, 23.2 and UAX 9).
fn shown(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if stays(c) => out.push(c),
            c if c.is_control()
                || matches!(c, '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                out.extend(c.escape_unicode())
            }
            c => out.push(c),
        }
    }
    out
}

/// Color codes of pages (ECMA-48, SGR): plain, strong, quiet, green, yellow, strong red.
pub(crate) const TONES: [&str; 6] = ["0", "1", "2", "32", "33", "1;31"];

/// Pads with spaces on the right.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Pads with spaces on the left.
pub(crate) fn padded_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Cuts in the middle, where step names differ least, and marks the cut.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let kept = columns.saturating_sub(1);
    let (mut head, mut tail) = (String::new(), String::new());
    for c in text.chars() {
        if width(&head) + width(c.encode_utf8(&mut [0; 4])) > kept / 2 {
            break;
        }
        head.push(c);
    }
    for c in text.chars().rev() {
        if width(&head) + width(&tail) + width(c.encode_utf8(&mut [0; 4])) > kept {
            break;
        }
        tail.insert(0, c);
    }
    format!("{head}…{tail}")
}

/// Wraps a text at spaces, and where scripts without spaces may be broken; the first line starts with `first`, others with `rest`. Ends with a
/// line break. A word longer than the line is not split: paths and commands must survive copying. A unit stays with its number.
pub(crate) fn wrapped(text: &str, first: &str, rest: &str, columns: usize) -> String {
    let mut out = first.to_string();
    let mut used = width(first.rsplit('\n').next().unwrap_or(first));
    let mut at_start = true;
    let text = with_units_held(&printable(&text.replace('\n', " ")));
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        for (place, part) in parts(word).into_iter().enumerate() {
            let gap = usize::from(!at_start && place == 0);
            if !at_start && used + gap + width(part) > columns {
                out.push('\n');
                out.push_str(rest);
                used = width(rest);
            } else if gap > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(&part.replace('\u{a0}', " "));
            used += width(part);
            at_start = false;
        }
    }
    out.push('\n');
    out
}

/// Units that follow their number after a space.
const UNITS: [&str; 24] = [
    "%", "ns", "µs", "us", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB",
    "TiB", "MB/s", "GB/s", "kB/s", "MiB/s", "GiB/s", "KiB/s", "IOPS",
];

/// The text with a no-break space between each number and its unit.
fn with_units_held(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        if !out.is_empty() {
            let unit = word.trim_end_matches([',', ';', '.', ':', ')', '。', '，', '；', '）']);
            let is_held =
                out.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&unit);
            out.push(if is_held { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// Parts of a word that may be on separate lines: a break is next to a wide character and allowed by Unicode (UAX 14), which keeps punctuation
/// with its word.
fn parts(word: &str) -> Vec<&str> {
    if word.is_ascii() {
        return vec![word];
    }
    let is_wide = |c: Option<char>| c.and_then(|c| c.width()) == Some(2);
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in unicode_linebreak::linebreaks(word) {
        let (before, after) = (&word[..at], &word[at..]);
        if is_wide(before.chars().next_back()) || is_wide(after.chars().next()) || at == word.len()
        {
            parts.push(&word[from..at]);
            from = at;
        }
    }
    parts
}

/// A table: the first row is the head, the first column text, the others numbers.
pub(crate) struct Cells(pub Vec<Vec<String>>);

/// Columns between two cells.
const GAP: usize = 2;
/// Minimum width of the first column.
const NAME_MIN: usize = 12;

impl Cells {
    fn column_widths(&self) -> Vec<usize> {
        let columns = self.0.iter().map(Vec::len).max().unwrap_or(0);
        (0..columns)
            .map(|column| {
                self.0
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| width(cell))
                    .max()
                    .unwrap_or(0)
            })
            .collect()
    }

    /// Width of the table without shortening.
    pub fn width(&self) -> usize {
        let widths = self.column_widths();
        widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }

    /// The aligned lines; the first column is shortened if the table is too wide.
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let mut widths = self.column_widths();
        let excess = self.width().saturating_sub(columns);
        if let Some(first) = widths.first_mut() {
            *first = first.saturating_sub(excess).max(NAME_MIN.min(*first));
        }
        let line = |row: &Vec<String>| {
            let cell = |(place, cell): (usize, &String)| match place {
                0 => padded(&shortened(cell, widths[0]), widths[0]),
                _ => padded_left(cell, widths[place]),
            };
            let line = row
                .iter()
                .enumerate()
                .map(cell)
                .collect::<Vec<_>>()
                .join(&" ".repeat(GAP));
            line.trim_end().to_string()
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(shortened("random-read depth=128", 12), "rando…th=128");
        assert_eq!(shortened("short", 12), "short");
        assert_eq!(width(&shortened("漢字漢字漢字漢字", 7)), 7);
    }

    #[test]
    fn text_breaks_at_spaces_and_keeps_long_words() {
        assert_eq!(
            wrapped("one two three", "- ", "  ", 9),
            "- one two\n  three\n"
        );
        assert_eq!(
            wrapped("/a/very/long/path x", "", "", 5),
            "/a/very/long/path\nx\n"
        );
        assert_eq!(
            wrapped("up by 12 % so far", "", "", 8),
            "up by\n12 % so\nfar\n"
        );
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        let orders = "a\x1b[2Jb\r\u{9b}31m\u{202e}\u{7f}";
        assert_eq!(
            printable(orders),
            "a\\u{1b}[2Jb\\u{d}\\u{9b}31m\\u{202e}\\u{7f}"
        );
        assert_eq!(printable_lines("a\tb\n\u{7}"), "a\tb\n\\u{7}");
        let page = "\x1b[1;31mbad\x1b[0m \x1b]0;title\u{7}\x1b[8mhidden\n";
        assert_eq!(
            printable_page(page, true),
            "\x1b[1;31mbad\x1b[0m \\u{1b}]0;title\\u{7}\\u{1b}[8mhidden\n"
        );
        assert_eq!(
            printable_page(page, false),
            "\\u{1b}[1;31mbad\\u{1b}[0m \\u{1b}]0;title\\u{7}\\u{1b}[8mhidden\n"
        );
    }

    #[test]
    fn columns_line_up_whatever_the_script() {
        let cells = Cells(vec![
            vec!["step".into(), "ops/s".into()],
            vec!["漢字".into(), "92,000".into()],
            vec!["µ".into(), "7".into()],
        ]);
        let lines = cells.lines(80);
        assert!(
            lines.iter().all(|line| width(line) == width(&lines[0])),
            "{lines:?}"
        );
    }

    #[test]
    fn text_without_spaces_is_broken_where_its_script_allows() {
        let text = "4 KiB 随机读：约 103,000 IOPS（队列深度 64）；仍在上升，比已测更大的队列深度可能更快。";
        let broken = wrapped(text, "  • ", "    ", 30);
        for line in broken.lines() {
            assert!(width(line) <= 30, "{line}");
            let start = line.trim_start_matches([' ', '•']);
            assert!(!start.starts_with(['，', '。', '：', '；', '）']), "{line}");
            assert!(!line.ends_with('（'), "{line}");
        }
        let joined: String = broken
            .lines()
            .map(|line| line.trim_start_matches([' ', '•']))
            .collect();
        let bare = |text: &str| text.replace(' ', "");
        assert_eq!(bare(&joined), bare(text));
        // A path survives, even next to such characters.
        let path = "/srv/a-very-long-path/that-stays-whole/x.dat";
        assert!(wrapped(&format!("写入 {path} 失败"), "", "", 20).contains(path));
    }
}
