//! What is the state of an open file? Which file it is, and where its last read and write ended.

/// One number under which a file is open.
#[derive(Debug)]
pub struct Open {
    /// Index of the file in the list.
    pub index: usize,
    /// Where the last read and the last write ended.
    pub ends: [Option<u64>; 2],
    /// The call that ends its use was made.
    pub closing: bool,
}

impl Open {
    pub fn at(index: usize) -> Open {
        Open {
            index,
            ends: [None; 2],
            closing: false,
        }
    }
}
