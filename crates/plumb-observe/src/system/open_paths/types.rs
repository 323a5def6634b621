//! Where in a structure does the kernel have a field? As it reports by itself, in BTF (Documentation/bpf/btf.rst).

const MAGIC: u16 = 0xeb9f;
/// Kinds of types.
const ARRAY: u32 = 3;
const STRUCT: u32 = 4;
const UNION: u32 = 5;
/// Structures within structures that are looked into.
const DEPTH_MAX: u32 = 8;

/// A field of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// In bytes from the begin of the structure.
    pub offset: u32,
    pub is_array: bool,
}

/// The types of a kernel.
pub struct Types<'a> {
    bytes: &'a [u8],
    /// Where each begins, from number 1 on.
    positions: Vec<usize>,
    strings: usize,
}

/// One type.
#[derive(Clone, Copy)]
struct Type {
    name: u32,
    kind: u32,
    count: usize,
    has_bits: bool,
    /// Where what belongs to it begins.
    content: usize,
}

impl<'a> Types<'a> {
    /// `None` when the bytes are none.
    pub fn of(bytes: &'a [u8]) -> Option<Types<'a>> {
        let magic = u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?);
        if magic != MAGIC {
            return None;
        }
        let header = word(bytes, 4)? as usize;
        let begin = header.checked_add(word(bytes, 8)? as usize)?;
        let end = begin.checked_add(word(bytes, 12)? as usize)?;
        let mut types = Types {
            bytes,
            positions: Vec::new(),
            strings: header.checked_add(word(bytes, 16)? as usize)?,
        };
        let mut at = begin;
        while at < end {
            types.positions.push(at);
            let of = types.at(at)?;
            at = of.content.checked_add(content_bytes(&of)?)?;
        }
        Some(types)
    }

    fn at(&self, at: usize) -> Option<Type> {
        let about = word(self.bytes, at.checked_add(4)?)?;
        Some(Type {
            name: word(self.bytes, at)?,
            kind: about >> 24 & 0x1f,
            count: (about & 0xffff) as usize,
            has_bits: about >> 31 == 1,
            content: at.checked_add(12)?,
        })
    }

    fn numbered(&self, number: u32) -> Option<Type> {
        self.at(*self.positions.get((number as usize).checked_sub(1)?)?)
    }

    fn is_called(&self, name: u32, selected: &str) -> bool {
        let text = self.strings.checked_add(name as usize);
        let text = text.and_then(|begin| self.bytes.get(begin..));
        text.and_then(|text| text.strip_prefix(selected.as_bytes()))
            .is_some_and(|rest| rest.first() == Some(&0))
    }

    /// A field of the structure with this name.
    pub fn field(&self, structure: &str, field: &str) -> Option<Field> {
        let mut all = self.positions.iter().filter_map(|at| self.at(*at));
        let found = all.find(|of| of.kind == STRUCT && self.is_called(of.name, structure))?;
        self.field_in(&found, field, 0)
    }

    fn field_in(&self, of: &Type, selected: &str, depth: u32) -> Option<Field> {
        for number in 0..of.count {
            let at = of.content.checked_add(number * 12)?;
            let (name, kind) = (word(self.bytes, at)?, word(self.bytes, at + 4)?);
            let mut bits = word(self.bytes, at + 8)?;
            if of.has_bits {
                bits &= 0x00ff_ffff;
            }
            let within = self.numbered(kind);
            if self.is_called(name, selected) {
                return Some(Field {
                    offset: bits / 8,
                    is_array: within.is_some_and(|of| of.kind == ARRAY),
                });
            }
            // Without a name, its fields are those of the structure.
            let unnamed = within.filter(|of| matches!(of.kind, STRUCT | UNION));
            if let Some(unnamed) = unnamed.filter(|_| name == 0 && depth < DEPTH_MAX)
                && let Some(found) = self.field_in(&unnamed, selected, depth + 1)
            {
                let offset = found.offset.checked_add(bits / 8)?;
                return Some(Field { offset, ..found });
            }
        }
        None
    }
}

/// Bytes that follow the three words of a type; `None` for a kind that is not known.
fn content_bytes(of: &Type) -> Option<usize> {
    Some(match of.kind {
        // Integers, variables, tags.
        1 | 14 | 17 => 4,
        ARRAY => 12,
        STRUCT | UNION | 15 | 19 => 12 * of.count,
        // Enumerations and parameters.
        6 | 13 => 8 * of.count,
        2 | 7..=12 | 16 | 18 => 0,
        _ => return None,
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two structures: `task` with `pad`, an unnamed union of `one` and `many[2]` at 16; `regs` with `si` at 8.
    fn bytes() -> Vec<u8> {
        let strings = b"\0u64\0task\0pad\0one\0many\0regs\0si\0";
        let name = |text: &str| {
            let found = strings
                .windows(text.len())
                .position(|part| part == text.as_bytes());
            found.unwrap() as u32
        };
        let kind = |kind: u32, count: u32| kind << 24 | count;
        let words = [
            vec![name("u64"), kind(1, 0), 8, 64],
            vec![0, kind(ARRAY, 0), 0, 1, 1, 2],
            vec![0, kind(UNION, 2), 16, name("one"), 1, 0, name("many"), 2, 0],
            vec![
                name("task"),
                kind(STRUCT, 2),
                32,
                name("pad"),
                1,
                0,
                0,
                3,
                128,
            ],
            vec![name("regs"), kind(STRUCT, 1), 16, name("si"), 1, 64],
        ]
        .concat();
        let types: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut bytes = MAGIC.to_ne_bytes().to_vec();
        bytes.extend([1, 0]);
        for word in [
            24,
            0,
            types.len() as u32,
            types.len() as u32,
            strings.len() as u32,
        ] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend(types);
        bytes.extend(strings);
        bytes
    }

    #[test]
    fn fields_are_found_within_unnamed_unions_too() {
        let bytes = bytes();
        let types = Types::of(&bytes).unwrap();
        let field = |offset, is_array| Some(Field { offset, is_array });
        assert_eq!(types.field("task", "pad"), field(0, false));
        assert_eq!(types.field("task", "one"), field(16, false));
        assert_eq!(types.field("task", "many"), field(16, true));
        assert_eq!(types.field("regs", "si"), field(8, false));
        assert_eq!(types.field("regs", "s"), None);
        assert_eq!(types.field("none", "si"), None);
    }

    #[test]
    fn what_is_cut_or_mangled_is_none_and_no_harm() {
        let bytes = bytes();
        for end in 0..bytes.len() {
            if let Some(types) = Types::of(&bytes[..end]) {
                let _ = types.field("task", "many");
            }
        }
        for at in 0..bytes.len() {
            let mut mangled = bytes.clone();
            mangled[at] ^= 0xff;
            if let Some(types) = Types::of(&mangled) {
                let _ = types.field("task", "many");
            }
        }
    }
}
