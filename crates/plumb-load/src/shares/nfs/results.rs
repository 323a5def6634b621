//! What does a server answer? The results of a COMPOUND (RFC 8881, chapters 16 and 18), one after the other, up to the first that failed.

use plumb_model::statement::Statement;

use super::call::{FileHandle, Stability, StateId, attribute, op};
use super::status::Status;
use super::xdr::{Garbled, Reader};

/// Why there is no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The server refused.
    Status(Status),
    /// The server does not support the requested program or version.
    Unsupported(Statement),
    /// The connection is of no use any more.
    Connection(Statement),
    /// A stop was requested, and the server did not respond in time: no more requests are sent.
    Stopped(Statement),
}

impl Failure {
    /// The server's status, when there is one.
    pub fn status(&self) -> Option<Status> {
        match self {
            Failure::Status(status) => Some(*status),
            Failure::Connection(_) | Failure::Unsupported(_) | Failure::Stopped(_) => None,
        }
    }
}

impl From<Garbled> for Failure {
    fn from(_: Garbled) -> Failure {
        Failure::Connection(Statement::new("nfs-answer-is-broken"))
    }
}

/// Attributes returned by the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    /// `nfs_ftype4`.
    pub kind: Option<u32>,
    pub size_bytes: Option<u64>,
    pub lease_s: Option<u32>,
    pub read_max_bytes: Option<u64>,
    pub write_max_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
    pub total_bytes: Option<u64>,
}

impl Attributes {
    /// Of a folder of which nothing else is known.
    pub const FOLDER: Attributes = Attributes {
        kind: Some(2),
        size_bytes: None,
        lease_s: None,
        read_max_bytes: None,
        write_max_bytes: None,
        free_bytes: None,
        total_bytes: None,
    };

    /// NF4DIR.
    pub fn is_folder(&self) -> bool {
        self.kind == Some(2)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Attributes, Garbled> {
        let mut set = 0u64;
        for word in 0..reader.u32()? {
            let bits = u64::from(reader.u32()?);
            // Attributes beyond the second word are never requested.
            set |= bits.checked_shl(32 * word).unwrap_or(0);
        }
        let values = reader.opaque()?;
        let mut values = Reader::new(values);
        let mut attributes = Attributes::default();
        // In order of their numbers.
        for bit in (0..64)
            .map(|number| 1u64 << number)
            .filter(|bit| set & bit != 0)
        {
            match bit {
                attribute::TYPE => attributes.kind = Some(values.u32()?),
                attribute::SIZE => attributes.size_bytes = Some(values.u64()?),
                attribute::LEASE_TIME => attributes.lease_s = Some(values.u32()?),
                attribute::MAXREAD => attributes.read_max_bytes = Some(values.u64()?),
                attribute::MAXWRITE => attributes.write_max_bytes = Some(values.u64()?),
                attribute::SPACE_AVAIL => attributes.free_bytes = Some(values.u64()?),
                attribute::SPACE_TOTAL => attributes.total_bytes = Some(values.u64()?),
                // Read with a listing as a user would, and of no further use: seconds and nanoseconds.
                attribute::TIME_MODIFY => drop(values.take(12)?),
                _ => return Err(Garbled),
            }
        }
        Ok(attributes)
    }
}

/// What EXCHANGE_ID agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    pub client: u64,
    pub sequence: u32,
    /// The server's own description; missing if not provided.
    pub server: Option<String>,
}

/// What an OPEN brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGrant {
    pub state: StateId,
    /// The owner is to be confirmed by an OPEN_CONFIRM before anything else (NFS 4.0).
    pub must_confirm: bool,
    /// A delegation that was not requested.
    pub delegation: Option<StateId>,
}

/// What CREATE_SESSION agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionGrant {
    pub session: [u8; 16],
    pub request_max_bytes: u32,
    pub answer_max_bytes: u32,
    pub operations: u32,
    pub slots: u32,
}

/// What a WRITE brought, which has the same form in NFS 3 and 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub bytes: u32,
    /// Their stability, as reported by the server.
    pub stability: Stability,
    /// A number that changes when the server lost what was not committed.
    pub verifier: [u8; 8],
}

impl Written {
    /// Over the end of the answer to a WRITE.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Written, Failure> {
        let bytes = reader.u32()?;
        let stability = match reader.u32()? {
            0 => Stability::Unstable,
            1 => Stability::DataSync,
            2 => Stability::FileSync,
            _ => return Err(Garbled.into()),
        };
        Ok(Written {
            bytes,
            stability,
            verifier: reader.fixed()?,
        })
    }

    /// That it is not more, and not less stable, than requested.
    ///
    /// # Errors
    /// A protocol violation of the server.
    pub fn of(self, requested_bytes: u32, requested: Stability) -> Result<Written, Failure> {
        if self.bytes > requested_bytes {
            return Err(Failure::Connection(
                Statement::new("nfs-written-too-much")
                    .count("bytes", u64::from(self.bytes))
                    .count("asked", u64::from(requested_bytes)),
            ));
        }
        if self.stability < requested {
            return Err(Failure::Connection(Statement::new(
                "nfs-less-stable-than-asked",
            )));
        }
        Ok(self)
    }
}

/// One entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub attributes: Attributes,
}

/// One page of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Where the next page begins.
    pub cookie: u64,
    pub verifier: [u8; 8],
    pub is_last: bool,
    /// How many names it had.
    pub names: u32,
}

/// The results of one COMPOUND.
#[derive(Debug)]
pub struct Results<'a> {
    reader: Reader<'a>,
    left: u32,
    status: Status,
}

type Got<T> = Result<T, Failure>;

impl<'a> Results<'a> {
    /// Begins with the first result of a COMPOUND; `bytes` begin with its status.
    pub fn new(bytes: &'a [u8]) -> Got<Results<'a>> {
        let mut reader = Reader::new(bytes);
        let status = Status(reader.u32()?);
        reader.opaque()?;
        let left = reader.u32()?;
        Ok(Results {
            reader,
            left,
            status,
        })
    }

    /// Bytes taken so far.
    pub fn position(&self) -> usize {
        self.reader.position()
    }

    /// Goes to the result of the next operation, which must be this one.
    fn next(&mut self, operation: u32) -> Got<()> {
        if self.left == 0 {
            // A minor version that the server does not support has no results at all.
            return Err(if self.status == Status::OK {
                Garbled.into()
            } else {
                Failure::Status(self.status)
            });
        }
        self.left -= 1;
        if self.reader.u32()? != operation {
            return Err(if self.status == Status::OK {
                Garbled.into()
            } else {
                Failure::Status(self.status)
            });
        }
        match Status(self.reader.u32()?) {
            Status::OK => Ok(()),
            status => Err(Failure::Status(status)),
        }
    }

    /// Over the result of an operation with the number of an open owner, by `read`. Besides what came of it: the status, when the server has come to the
    /// operation; it counts none that it did not come to.
    pub fn counted<T>(
        &mut self,
        operation: u32,
        read: impl FnOnce(&mut Results<'a>) -> Got<T>,
    ) -> (Option<Status>, Got<T>) {
        let mut ahead = self.reader;
        let is_reached = self.left > 0 && ahead.u32() == Ok(operation);
        let result = read(self);
        let status = match &result {
            Ok(_) => Some(Status::OK),
            Err(failure) => failure.status(),
        };
        (status.filter(|_| is_reached), result)
    }

    /// Over an operation without a result of its own: PUTFH, PUTROOTFH, SAVEFH, LOOKUP, RECLAIM_COMPLETE, RENEW, DELEGRETURN.
    pub fn done(&mut self, operation: u32) -> Got<()> {
        self.next(operation)
    }

    /// Over the SEQUENCE that a call in a session begins with.
    pub fn sequence(&mut self) -> Got<()> {
        self.next(op::SEQUENCE)?;
        // Session, number of the request, slot, highest slot, the highest that is wanted, flags.
        self.reader.take(16 + 5 * 4)?;
        Ok(())
    }

    /// GETFH.
    pub fn handle(&mut self) -> Got<FileHandle> {
        self.next(op::GETFH)?;
        Ok(FileHandle::new(self.reader.opaque()?).ok_or(Garbled)?)
    }

    /// GETATTR.
    pub fn attributes(&mut self) -> Got<Attributes> {
        self.next(op::GETATTR)?;
        Ok(Attributes::read(&mut self.reader)?)
    }

    /// OPEN.
    pub fn open(&mut self) -> Got<OpenGrant> {
        /// OPEN4_RESULT_CONFIRM.
        const CONFIRM: u32 = 2;
        self.next(op::OPEN)?;
        let reader = &mut self.reader;
        let state = StateId(reader.fixed()?);
        // What changed in the folder; then flags, and the attributes that were set.
        reader.take(4 + 8 + 8)?;
        let must_confirm = reader.u32()? & CONFIRM != 0;
        let mut delegation = None;
        let words = reader.u32()?;
        reader.take(4 * words.min(64) as usize)?;
        // Delegations were declined; a server may return a reason, or grant one anyway.
        match reader.u32()? {
            0 => {}
            // Read: state, recall, an entry of an access list (type, flag, mask, who).
            1 => {
                delegation = Some(StateId(reader.fixed()?));
                reader.take(4 + 12)?;
                reader.opaque()?;
            }
            // Write: the same with a limit of space before the entry.
            2 => {
                delegation = Some(StateId(reader.fixed()?));
                reader.take(4 + 12 + 12)?;
                reader.opaque()?;
            }
            // None, with a reason; two of the reasons have a truth value.
            3 => {
                if matches!(reader.u32()?, 1 | 2) {
                    reader.u32()?;
                }
            }
            _ => return Err(Garbled.into()),
        }
        Ok(OpenGrant {
            state,
            must_confirm,
            delegation,
        })
    }

    /// OPEN_CONFIRM.
    pub fn open_confirm(&mut self) -> Got<StateId> {
        self.next(op::OPEN_CONFIRM)?;
        Ok(StateId(self.reader.fixed()?))
    }

    /// CLOSE.
    pub fn close(&mut self) -> Got<()> {
        self.next(op::CLOSE)?;
        self.reader.take(16)?;
        Ok(())
    }

    /// The head of a READ: whether the end of the file was reached, and the length of the data that follows.
    pub fn read_head(&mut self) -> Got<(bool, u32)> {
        self.next(op::READ)?;
        Ok((self.reader.bool()?, self.reader.u32()?))
    }

    /// READ, with its data.
    pub fn read(&mut self) -> Got<(bool, &'a [u8])> {
        self.next(op::READ)?;
        Ok((self.reader.bool()?, self.reader.opaque()?))
    }

    /// WRITE.
    pub fn write(&mut self) -> Got<Written> {
        self.next(op::WRITE)?;
        Written::read(&mut self.reader)
    }

    /// COMMIT: the same number.
    pub fn commit(&mut self) -> Got<[u8; 8]> {
        self.next(op::COMMIT)?;
        Ok(self.reader.fixed()?)
    }

    /// CREATE of a folder.
    pub fn make_folder(&mut self) -> Got<()> {
        self.next(op::CREATE)?;
        self.reader.take(4 + 8 + 8)?;
        let words = self.reader.u32()?;
        self.reader.take(4 * words.min(64) as usize)?;
        Ok(())
    }

    /// READDIR. Each entry goes to `each`.
    pub fn list(&mut self, mut each: impl FnMut(Entry)) -> Got<Page> {
        self.next(op::READDIR)?;
        let mut page = Page {
            verifier: self.reader.fixed()?,
            ..Page::default()
        };
        while self.reader.bool()? {
            page.cookie = self.reader.u64()?;
            page.names += 1;
            let name = self.reader.text()?;
            each(Entry {
                name,
                attributes: Attributes::read(&mut self.reader)?,
            });
        }
        page.is_last = self.reader.bool()?;
        Ok(page)
    }

    /// SECINFO_NO_NAME, or SECINFO: numbers of RPC's flavors; those of Kerberos as MOUNT has them (RFC 2623, 2.4), by their service.
    pub fn security(&mut self, operation: u32) -> Got<Vec<u32>> {
        const RPCSEC_GSS: u32 = 6;
        /// Of krb5, authentication only; integrity and privacy follow.
        const KRB5: u32 = 390_003;
        self.next(operation)?;
        let reader = &mut self.reader;
        let mut flavors = Vec::new();
        for _ in 0..reader.u32()? {
            let flavor = reader.u32()?;
            flavors.push(if flavor == RPCSEC_GSS {
                reader.opaque()?;
                reader.u32()?;
                KRB5.saturating_add(reader.u32()?.saturating_sub(1))
            } else {
                flavor
            });
        }
        Ok(flavors)
    }

    /// SETCLIENTID: number of the client, and what confirms it.
    pub fn client_set(&mut self) -> Got<(u64, [u8; 8])> {
        self.next(op::SETCLIENTID)?;
        Ok((self.reader.u64()?, self.reader.fixed()?))
    }

    /// EXCHANGE_ID.
    pub fn introduction(&mut self) -> Got<Introduction> {
        self.next(op::EXCHANGE_ID)?;
        let reader = &mut self.reader;
        let (client, sequence, _flags) = (reader.u64()?, reader.u32()?, reader.u32()?);
        if reader.u32()? != 0 {
            // Protection of state that was not requested.
            return Err(Garbled.into());
        }
        reader.u64()?;
        reader.opaque()?;
        reader.opaque()?;
        let server = match reader.u32()? {
            0 => None,
            _ => {
                let (domain, name) = (reader.text()?, reader.text()?);
                Some(format!("{name} {domain}").trim().to_string())
                    .filter(|server| !server.is_empty())
            }
        };
        Ok(Introduction {
            client,
            sequence,
            server,
        })
    }

    /// CREATE_SESSION.
    pub fn session(&mut self) -> Got<SessionGrant> {
        self.next(op::CREATE_SESSION)?;
        let reader = &mut self.reader;
        let session = reader.fixed()?;
        // Number of the request, flags, padding.
        reader.take(12)?;
        let (request_max_bytes, answer_max_bytes, _kept) =
            (reader.u32()?, reader.u32()?, reader.u32()?);
        Ok(SessionGrant {
            session,
            request_max_bytes,
            answer_max_bytes,
            operations: reader.u32()?,
            slots: reader.u32()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::xdr::{put_opaque, put_u32, put_u64};
    use super::*;

    fn compound(status: u32, count: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_u32(&mut bytes, status);
        put_opaque(&mut bytes, b"");
        put_u32(&mut bytes, count);
        bytes
    }

    #[test]
    fn an_operation_that_failed_ends_the_results() {
        let mut bytes = compound(Status::NOENT.0, 2);
        [op::PUTFH, 0, op::LOOKUP, 2]
            .into_iter()
            .for_each(|number| put_u32(&mut bytes, number));
        let mut results = Results::new(&bytes).expect("results");
        assert_eq!(results.done(op::PUTFH), Ok(()));
        assert_eq!(
            results.done(op::LOOKUP),
            Err(Failure::Status(Status::NOENT))
        );
        assert_eq!(results.handle(), Err(Failure::Status(Status::NOENT)));
        // A server of another minor version gives no results at all.
        let bytes = compound(Status::MINOR_VERS_MISMATCH.0, 0);
        assert_eq!(
            Results::new(&bytes).expect("results").sequence(),
            Err(Failure::Status(Status::MINOR_VERS_MISMATCH))
        );
    }

    #[test]
    fn attributes_stand_in_order_of_their_numbers() {
        let mut bytes = compound(0, 1);
        [
            op::GETATTR,
            0,
            2,
            (attribute::TYPE | attribute::SIZE) as u32,
            (attribute::SPACE_AVAIL >> 32) as u32,
            20,
        ]
        .into_iter()
        .for_each(|number| put_u32(&mut bytes, number));
        put_u32(&mut bytes, 2);
        put_u64(&mut bytes, 4096);
        put_u64(&mut bytes, 1 << 33);
        let attributes = Results::new(&bytes)
            .and_then(|mut results| results.attributes())
            .expect("attributes");
        assert!(attributes.is_folder());
        assert_eq!(
            (
                attributes.size_bytes,
                attributes.free_bytes,
                attributes.total_bytes
            ),
            (Some(4096), Some(1 << 33), None)
        );
    }

    /// OPEN4resok of RFC 7530 (16.16.4): stateid, change_info, rflags, attrset, delegation.
    #[test]
    fn an_open_reports_what_is_to_be_confirmed_and_released() {
        let open = |delegation: &[u32]| {
            let mut bytes = compound(0, 1);
            let head = [op::OPEN, 0, 1, 2, 3, 4, 1, 0, 5, 0, 6, 2, 2, 0, 2];
            head.iter()
                .chain(delegation)
                .for_each(|number| put_u32(&mut bytes, *number));
            let mut results = Results::new(&bytes).expect("results");
            let (status, grant) = results.counted(op::OPEN, |results| results.open());
            let grant = grant.expect("open");
            assert_eq!(results.position(), bytes.len(), "all of it");
            assert!(status == Some(Status::OK) && grant.must_confirm);
            assert_eq!(
                grant.state.0,
                [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]
            );
            grant.delegation.map(|delegation| delegation.0[15])
        };
        assert_eq!(open(&[0]), None);
        // For reading: stateid, recall, an entry of an access list; for writing with a limit of space before the entry.
        assert_eq!(open(&[1, 0, 0, 0, 9, 0, 0, 0, 0, 0]), Some(9));
        assert_eq!(open(&[2, 0, 0, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0]), Some(8));
    }

    #[test]
    fn only_an_operation_that_the_server_came_to_is_counted() {
        let counted = |numbers: &[u32]| {
            let mut bytes = compound(numbers[1], 1);
            numbers
                .iter()
                .for_each(|number| put_u32(&mut bytes, *number));
            let mut results = Results::new(&bytes).expect("results");
            results.counted(op::CLOSE, |results| results.close()).0
        };
        assert_eq!(counted(&[op::CLOSE, 10026]), Some(Status::BAD_SEQID));
        assert_eq!(counted(&[op::PUTFH, 70]), None);
        let none = compound(10018, 0);
        let mut results = Results::new(&none).expect("results");
        assert_eq!(
            results.counted(op::CLOSE, |results| results.close()).0,
            None
        );
    }

    /// Whatever a server sends, there is an answer or a failure, never a panic.
    #[test]
    fn mangled_results_are_failures() {
        use rand_core::{Rng, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..20_000 {
            let mut bytes = compound(0, 1);
            let operation = [
                op::OPEN,
                op::GETATTR,
                op::READDIR,
                op::EXCHANGE_ID,
                op::READ,
                op::CREATE,
                op::SETCLIENTID,
                op::OPEN_CONFIRM,
                op::SECINFO,
            ][random.next_u64() as usize % 9];
            [operation, 0]
                .into_iter()
                .for_each(|number| put_u32(&mut bytes, number));
            let len = random.next_u64() as usize % 200;
            bytes.extend((0..len).map(|_| {
                if random.next_u64() % 3 == 0 {
                    random.next_u64() as u8
                } else {
                    0
                }
            }));
            let results = || Results::new(&bytes).expect("results");
            let mut entries = 0;
            let outcomes = [
                results().open().is_ok(),
                results().attributes().is_ok(),
                results().list(|_| entries += 1).is_ok(),
                results().introduction().is_ok(),
                results().read().is_ok(),
                results().make_folder().is_ok(),
                results().client_set().is_ok(),
                results().open_confirm().is_ok(),
                results().security(op::SECINFO).is_ok(),
            ];
            assert!(
                outcomes.into_iter().filter(|ok| *ok).count() <= 1,
                "only the operation that was answered has a result"
            );
        }
    }
}
