//! Which key was pressed? Maps terminal input (ECMA-48, xterm control sequences) to actions.

/// Action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    RowAbove,
    RowBelow,
    ColumnBefore,
    ColumnAfter,
    TableBefore,
    TableAfter,
    /// Pause, or follow the newest interval again.
    Pause,
    /// One interval back.
    Earlier,
    Later,
    /// Half a graph back.
    MuchEarlier,
    MuchLater,
    Oldest,
    Newest,
    /// Zoom out: the graph covers more time.
    Longer,
    Shorter,
    /// Toggle rows that were never active.
    IdleRows,
    /// Skip to the next step of a plan.
    Skip,
    /// Show the help of keys.
    Help,
    End,
}

/// The keys in input from a terminal. Unknown input is ignored.
pub fn keys_of(read: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = read;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == 0x1b {
            let (key, after) = escaped(after);
            keys.extend(key);
            rest = after;
        } else {
            keys.extend(plain(*first));
        }
    }
    keys
}

fn plain(byte: u8) -> Option<Key> {
    Some(match byte {
        b'k' => Key::RowAbove,
        b'j' => Key::RowBelow,
        b'h' => Key::ColumnBefore,
        b'l' => Key::ColumnAfter,
        b'\t' => Key::TableAfter,
        b' ' | b'p' => Key::Pause,
        b'<' | b',' => Key::Earlier,
        b'>' | b'.' => Key::Later,
        b'g' => Key::Oldest,
        b'G' => Key::Newest,
        b'-' => Key::Longer,
        b'+' | b'=' => Key::Shorter,
        b'a' => Key::IdleRows,
        b's' => Key::Skip,
        b'?' => Key::Help,
        b'q' | b'Q' => Key::End,
        _ => return None,
    })
}

/// The key of an escape sequence, and the input after it.
fn escaped(rest: &[u8]) -> (Option<Key>, &[u8]) {
    let body = match rest {
        [b'[' | b'O', body @ ..] => body,
        _ => return (None, rest),
    };
    let Some(end) = body.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        return (None, &[]);
    };
    let key = match (&body[..end], body[end]) {
        (_, b'A') => Some(Key::RowAbove),
        (_, b'B') => Some(Key::RowBelow),
        (_, b'C') => Some(Key::ColumnAfter),
        (_, b'D') => Some(Key::ColumnBefore),
        (_, b'Z') => Some(Key::TableBefore),
        (_, b'H') | (b"1" | b"7", b'~') => Some(Key::Oldest),
        (_, b'F') | (b"4" | b"8", b'~') => Some(Key::Newest),
        (b"5", b'~') => Some(Key::MuchEarlier),
        (b"6", b'~') => Some(Key::MuchLater),
        _ => None,
    };
    (key, &body[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_what_terminals_send() {
        let check = |read: &[u8], expected: &[Key]| assert_eq!(keys_of(read), expected, "{read:?}");
        check(
            b"\x1b[A\x1bOB\x1b[1;5C\t\x1b[Z",
            &[
                Key::RowAbove,
                Key::RowBelow,
                Key::ColumnAfter,
                Key::TableAfter,
                Key::TableBefore,
            ],
        );
        check(
            b"\x1b[5~\x1b[6~\x1b[H\x1b[4~q",
            &[
                Key::MuchEarlier,
                Key::MuchLater,
                Key::Oldest,
                Key::Newest,
                Key::End,
            ],
        );
        // A lone escape, a truncated sequence, function keys, other letters, and bytes that are not text.
        check(b"\x1b", &[]);
        check(b"\x1b[5", &[]);
        check(b"\x1b[15~\x1bOPz\xff\0", &[]);
        check("é ".as_bytes(), &[Key::Pause]);
    }
}
