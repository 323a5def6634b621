//! How is a text escaped for HTML and XML?

/// Escapes a text for HTML and XML, for content and quoted attributes. Characters that XML 1.0 forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A text as a JSON string that is safe in a script element: no `<`, `>` or `&`, so that nothing can end the element.
pub fn json_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\'' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c if c.is_control() => out.push_str("\\ufffd"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{escape, json_text};

    #[test]
    fn a_text_cannot_leave_its_script_element() {
        let hostile = "</script><b>\"\\'&<!--\u{2028}\n\u{1b}";
        let text = json_text(hostile);
        assert!(!text.contains(['<', '>', '&', '\'', '\n', '\u{1b}', '\u{2028}']));
        let expected = "\"\\u003c/script\\u003e\\u003cb\\u003e\\\"\\\\\\u0027\\u0026\\u003c!--\\u2028\\ufffd\\ufffd\"";
        assert_eq!(text, expected);
    }

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(
            escape("<a href=\"x\">'&'"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;"
        );
        assert_eq!(escape("\u{1b}[31m\0"), "\u{fffd}[31m\u{fffd}");
    }
}
