//! How are the headers of a Parquet file written? In the compact protocol of Apache Thrift (thrift-compact-protocol.md), of which few types are needed.

/// Types of fields and of elements of a list.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is built field by field; field numbers must increase.
#[derive(Default)]
pub struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

/// Seven bits per byte, lowest first; the eighth bit marks that more bytes follow.
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn list_head(out: &mut Vec<u8>, kind: u8, length: usize) {
    if length < 15 {
        out.push((length as u8) << 4 | kind);
    } else {
        out.push(0xf0 | kind);
        varint(out, length as u64);
    }
}

impl Struct {
    fn field(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    pub fn i32(mut self, number: u8, value: i32) -> Struct {
        self.field(number, I32);
        varint(&mut self.bytes, zigzag(i64::from(value)));
        self
    }

    pub fn i64(mut self, number: u8, value: i64) -> Struct {
        self.field(number, I64);
        varint(&mut self.bytes, zigzag(value));
        self
    }

    pub fn text(mut self, number: u8, text: &str) -> Struct {
        self.field(number, BINARY);
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.as_bytes());
        self
    }

    pub fn structure(mut self, number: u8, value: Struct) -> Struct {
        self.field(number, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    pub fn i32s(mut self, number: u8, values: &[i32]) -> Struct {
        self.field(number, LIST);
        list_head(&mut self.bytes, I32, values.len());
        values
            .iter()
            .for_each(|value| varint(&mut self.bytes, zigzag(i64::from(*value))));
        self
    }

    pub fn texts(mut self, number: u8, texts: &[&str]) -> Struct {
        self.field(number, LIST);
        list_head(&mut self.bytes, BINARY, texts.len());
        for text in texts {
            varint(&mut self.bytes, text.len() as u64);
            self.bytes.extend(text.as_bytes());
        }
        self
    }

    pub fn structures(mut self, number: u8, values: Vec<Struct>) -> Struct {
        self.field(number, LIST);
        list_head(&mut self.bytes, STRUCT, values.len());
        values
            .into_iter()
            .for_each(|value| self.bytes.extend(value.finish()));
        self
    }

    /// The struct with its end marker.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_protocol() {
        let of = |value| {
            let mut out = Vec::new();
            varint(&mut out, value);
            out
        };
        assert_eq!(
            (of(0), of(127), of(300)),
            (vec![0], vec![127], vec![0xac, 0x02])
        );
        assert_eq!([0, -1, 1, i64::MIN].map(zigzag), [0, 1, 2, u64::MAX]);
        let bytes = Struct::default()
            .i32(1, -1)
            .text(4, "ab")
            .texts(5, &["c"])
            .finish();
        assert_eq!(
            bytes,
            [0x15, 1, 0x38, 2, b'a', b'b', 0x19, 0x18, 1, b'c', 0]
        );
        let mut long = Vec::new();
        list_head(&mut long, I32, 20);
        assert_eq!(long, [0xf5, 20]);
    }
}
