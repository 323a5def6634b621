//! Which blocks does a job go over, one after the other, again and again?

use std::fmt;
use std::str::FromStr;

use crate::units::UnitError;

/// Most blocks of a list; fio's limit of `random_distribution=sequence`.
pub const BLOCKS_MAX: usize = 64;

/// Numbers of blocks, in their order: 1 to [`BLOCKS_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockList {
    of: [u32; BLOCKS_MAX],
    count: u8,
}

impl BlockList {
    /// The numbers.
    pub fn each(&self) -> &[u32] {
        &self.of[..usize::from(self.count)]
    }
}

impl FromStr for BlockList {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut list = BlockList {
            of: [0; BLOCKS_MAX],
            count: 0,
        };
        let numbers = text.split(',').map(|word| word.trim().parse::<u32>());
        for number in numbers {
            let free = list.of.get_mut(usize::from(list.count)).zip(number.ok());
            let (place, number) = free.ok_or_else(|| {
                UnitError(format!(
                    "'{text}' is no list of blocks: write 1 to {BLOCKS_MAX} block numbers with commas, such as 2,0,1"
                ))
            })?;
            *place = number;
            list.count += 1;
        }
        Ok(list)
    }
}

impl fmt::Display for BlockList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.each().iter().map(u32::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_1_to_64_numbers() {
        let list: BlockList = " 2, 0,1".parse().expect("a list");
        assert_eq!(
            (list.each(), list.to_string().as_str()),
            (&[2, 0, 1][..], "2,0,1")
        );
        let longest = vec!["7"; BLOCKS_MAX].join(",");
        assert_eq!(
            longest.parse::<BlockList>().expect("a list").to_string(),
            longest
        );
        let too_long = vec!["7"; BLOCKS_MAX + 1].join(",");
        for text in ["", "a", "1,", "-1", "4294967296", &too_long] {
            assert!(text.parse::<BlockList>().is_err(), "{text}");
        }
    }
}
