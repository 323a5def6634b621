//! Which number does the next OPEN, OPEN_CONFIRM or CLOSE of an open owner carry? In NFS 4.0 a server detects retransmissions by it (RFC 7530, 9.1.7).

use super::call::Opener;
use super::status::Status;

/// Who has one file open at a time, with the number of his next operation. Only one of his operations is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOwner {
    number: u32,
    /// How often he was replaced by another one, because the server expected another number.
    replaced: u32,
    sequence: u32,
}

impl OpenOwner {
    /// `number`: one that no other owner of this client has.
    pub fn new(number: u32) -> OpenOwner {
        OpenOwner {
            number,
            replaced: 0,
            sequence: 0,
        }
    }

    /// State of the owner's next OPEN.
    pub fn opener(&self, client: u64) -> Opener {
        Opener {
            client,
            owner: u64::from(self.replaced) << 32 | u64::from(self.number),
            sequence: Some(self.sequence),
        }
    }

    /// Number of his next operation.
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    /// The server has come to his operation, with this status: the next one has the next number, or the same after the errors that RFC 7530 names. A server
    /// that expected another number would refuse him for ever: he is replaced by an owner that the server does not know.
    pub fn settle(&mut self, status: Status) {
        const STALE_CLIENTID: u32 = 10022;
        const STALE_STATEID: u32 = 10023;
        const BAD_STATEID: u32 = 10025;
        const BADXDR: u32 = 10036;
        const RESOURCE: u32 = 10018;
        const NOFILEHANDLE: u32 = 10020;
        const MOVED: u32 = 10019;
        match status {
            Status::BAD_SEQID => {
                self.replaced = self.replaced.wrapping_add(1);
                self.sequence = 0;
            }
            Status(
                STALE_CLIENTID | STALE_STATEID | BAD_STATEID | BADXDR | RESOURCE | NOFILEHANDLE
                | MOVED,
            ) => {}
            _ => self.sequence = self.sequence.wrapping_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_used_once_unless_the_server_did_not_count_it() {
        let mut owner = OpenOwner::new(7);
        let mut after = |status: u32| {
            owner.settle(Status(status));
            (owner.opener(1).owner, owner.sequence())
        };
        assert_eq!(after(0), (7, 1));
        // NOENT and DELAY are counted, RESOURCE and STALE_CLIENTID are not.
        assert_eq!(
            [2, 10008, 10018, 10022].map(&mut after),
            [(7, 2), (7, 3), (7, 3), (7, 3)]
        );
        assert_eq!(after(10026), (1 << 32 | 7, 0), "another owner");
        assert_eq!(after(0), (1 << 32 | 7, 1));
    }
}
