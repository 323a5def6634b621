//! How are the counts of a finished histogram held in memory? Step to the next occupied bucket and count, alternating, each in as few bytes as
//! possible: seven bits per byte, the lowest first, the highest bit set in all but the last (LEB128). A read interval takes some hundred bytes.

/// Occupied buckets in rising order with their counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Sparse {
    bytes: Vec<u8>,
    /// The last bucket and its count, which may still grow: the bytes hold the ones before.
    last: Option<(u32, u64)>,
    /// The bucket that the last step in `bytes` leads to.
    written: u32,
}

impl Sparse {
    /// Adds to a bucket that is not before the last one. A count of 0 leaves nothing.
    pub fn add(&mut self, bucket: u32, count: u64) {
        match &mut self.last {
            Some((last, held)) if *last == bucket => *held += count,
            _ if count == 0 => {}
            _ => {
                self.write_last();
                self.last = Some((bucket, count));
            }
        }
    }

    fn write_last(&mut self) {
        if let Some((bucket, count)) = self.last.take() {
            self.number(u64::from(bucket - self.written));
            self.number(count);
            self.written = bucket;
        }
    }

    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Ends adding: frees unused memory.
    pub fn close(&mut self) {
        self.write_last();
        self.bytes.shrink_to_fit();
    }

    pub fn clear(&mut self) {
        *self = Sparse::default();
    }

    /// The last occupied bucket.
    pub fn last(&self) -> Option<u32> {
        self.last
            .map(|(bucket, _)| bucket)
            .or((!self.bytes.is_empty()).then_some(self.written))
    }

    /// Memory of its counts, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Buckets with their counts, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (mut rest, mut bucket) = (self.bytes.iter(), 0);
        let written = std::iter::from_fn(move || {
            bucket += number(&mut rest)?;
            Some((bucket as usize, number(&mut rest)?))
        });
        written.chain(self.last.map(|(bucket, count)| (bucket as usize, count)))
    }
}

fn number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_comes_back_and_takes_little() {
        let mut sparse = Sparse::default();
        let added = [(0, 1), (1, 127), (129, 128), (7_423, u64::MAX)];
        for (bucket, count) in added {
            sparse.add(bucket, 0);
            sparse.add(bucket, count - 1);
            sparse.add(bucket, 1);
        }
        let all = || {
            added
                .iter()
                .map(|(bucket, count)| (*bucket as usize, *count))
        };
        assert!(sparse.iter().eq(all()) && sparse.last() == Some(7_423));
        sparse.close();
        assert!(sparse.iter().eq(all()) && sparse.last() == Some(7_423));
        assert_eq!(sparse.memory_bytes(), 2 + 2 + 4 + 12);
        sparse.clear();
        assert!(sparse.iter().next().is_none() && sparse.last().is_none());
    }
}
