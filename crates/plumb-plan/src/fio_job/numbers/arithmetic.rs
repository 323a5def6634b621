//! What is the value of an expression such as `(4*1024-1)k`? The four operations, rest, power and brackets, with a unit behind any number.

/// Deepest nesting of brackets, signs and powers.
const DEPTH_MAX: usize = 64;

struct Reader<'a, 'u> {
    text: &'a str,
    at: usize,
    depth: usize,
    unit: &'u dyn Fn(&str) -> Option<f64>,
}

/// The value of the whole text. `unit` gives the factor of a suffix. `None`: it is no expression, or has no finite value.
pub fn value(text: &str, unit: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        unit,
    };
    let value = reader.sum()?;
    (reader.peek().is_none() && value.is_finite()).then_some(value)
}

impl Reader<'_, '_> {
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        self.text.get(self.at..)?.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            match self.peek() {
                Some('+') if self.take('+') => value += self.product()?,
                Some('-') if self.take('-') => value -= self.product()?,
                _ => return Some(value),
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        loop {
            match self.peek() {
                Some('*') if self.take('*') => value *= self.power()?,
                Some('/') if self.take('/') => value /= self.power()?,
                Some('%') if self.take('%') => value %= self.power()?,
                _ => return Some(value),
            }
        }
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.signed()?;
        if self.take('^') {
            Some(base.powf(self.deeper(Self::power)?))
        } else {
            Some(base)
        }
    }

    fn signed(&mut self) -> Option<f64> {
        if self.take('-') {
            Some(-self.deeper(Self::signed)?)
        } else {
            self.atom()
        }
    }

    fn atom(&mut self) -> Option<f64> {
        if self.take('(') {
            let value = self.deeper(Self::sum)?;
            return if self.take(')') {
                Some(value * self.suffix()?)
            } else {
                None
            };
        }
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let length = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..length].parse().ok()?;
        self.at += length;
        Some(number * self.suffix()?)
    }

    /// The factor of the unit behind a number; 1 when there is none.
    fn suffix(&mut self) -> Option<f64> {
        let rest = self.text.get(self.at..)?;
        let length = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        self.at += length;
        if length == 0 {
            Some(1.0)
        } else {
            (self.unit)(&rest[..length])
        }
    }

    fn deeper(&mut self, part: fn(&mut Self) -> Option<f64>) -> Option<f64> {
        if self.depth == DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let value = part(self);
        self.depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn expressions() {
        let unit = |text: &str| (text == "k").then_some(1024.0);
        for (text, expected) in [
            ("8*4096", 32768.0),
            ("(1+2)*3", 9.0),
            ("2+3*4", 14.0),
            ("7%4", 3.0),
            ("2^3^2", 512.0),
            ("-(2 - 5)", 3.0),
            ("(4*2)k", 8192.0),
            ("1.5k + 1", 1537.0),
        ] {
            assert_eq!(value(text, &unit), Some(expected), "{text}");
        }
        for text in ["", "(", "1+", "1/0", "2x", "1 2", "(1", "1)", "ä", "."] {
            assert_eq!(value(text, &unit), None, "{text}");
        }
        for mark in ["(", "-", "2^"] {
            assert_eq!(value(&mark.repeat(100_000), &unit), None, "{mark}");
        }
    }
}
