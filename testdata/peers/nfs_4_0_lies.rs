//! What may a server of NFS 4.0 say, through a proxy, that nfs-ganesha by itself does not?

use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the second result of a COMPOUND begins: behind the heads of RPC and COMPOUND, and PUTFH.
const SECOND_AT: usize = 24 + 12 + 8;
const OPEN: u32 = 18;

fn number_at(answer: &[u8], at: usize) -> u32 {
    answer.get(at..at + 4).map_or(0, |bytes| {
        u32::from_be_bytes(bytes.try_into().expect("four"))
    })
}

fn has_opened(answer: &[u8]) -> bool {
    number_at(answer, SECOND_AT) == OPEN && number_at(answer, SECOND_AT + 4) == 0
}

/// Delegations that [`delegates`] has granted and that came back.
pub static RETURNED: AtomicUsize = AtomicUsize::new(0);

/// Every OPEN comes with a delegation to read that nobody asked for.
pub fn delegates(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    const DELEGRETURN: u32 = 8;
    if number_at(answer, SECOND_AT) == DELEGRETURN {
        RETURNED.fetch_add(1, Ordering::Relaxed);
    }
    if has_opened(answer) {
        // Behind the state, what changed in the folder, the flags and the attributes that were set.
        let attributes_at = SECOND_AT + 8 + 16 + 20 + 4;
        let at = attributes_at + 4 + 4 * number_at(answer, attributes_at) as usize;
        // A state, no recall, an entry of an access list that is empty.
        let mut delegation = [0; 4 + 16 + 4 + 16];
        delegation[3] = 1;
        answer.splice(at..at + 4, delegation);
    }
}

/// OPENs that [`expects_another_number`] has refused.
pub static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// The server expected another number of the owner: so it says to the first `of` OPENs of files that are there already.
pub fn expects_another_number(_: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    const BAD_SEQID: u32 = 10026;
    // What the folder's change attribute was before and after.
    let changed_at = SECOND_AT + 8 + 16 + 4;
    let makes =
        answer.get(changed_at..changed_at + 8) != answer.get(changed_at + 8..changed_at + 16);
    if has_opened(answer) && !makes && REFUSED.load(Ordering::Relaxed) < of {
        REFUSED.fetch_add(1, Ordering::Relaxed);
        answer.truncate(SECOND_AT + 4);
        answer.extend(BAD_SEQID.to_be_bytes());
        answer[24..28].copy_from_slice(&BAD_SEQID.to_be_bytes());
    }
}
