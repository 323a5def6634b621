//! How do client and server agree on a key by a ticket? AP-REQ and AP-REP of Kerberos (RFC 4120, 5.5) in the tokens of GSS-API (RFC 4121, 4.1).

use jiff::Timestamp;
use plumb_model::statement::Statement;
use smb2::auth::kerberos::messages::{
    EncryptedData, encode_ap_req, encode_authenticator, parse_ap_rep, parse_enc_ap_rep_part,
    parse_gss_api_wrapper, parse_krb_error,
};
use zeroize::Zeroizing;

use super::ticket::HeldTicket;
use super::tokens::{Sealing, Tokens};

/// 1.2.840.113554.1.2.2 (RFC 1964), as DER.
const KRB5: [u8; 11] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2];
/// Tokens of the mechanism (RFC 4121, 4.1).
const AP_REQ: [u8; 2] = [1, 0];
const AP_REP: [u8; 2] = [2, 0];
const KRB_ERROR: [u8; 2] = [3, 0];
/// Key usages (RFC 4120, 7.5.1).
const OF_AUTHENTICATOR: u32 = 11;
const OF_AP_REP: u32 = 12;

/// What was sent, until the server answers.
pub struct ApRequest {
    pub token: Vec<u8>,
    ticket_key: Zeroizing<Vec<u8>>,
    /// The client's key, should the server choose none.
    subkey: Zeroizing<Vec<u8>>,
    /// The authenticator's time as it stands in an answer to it.
    time: Vec<u8>,
}

fn no_key() -> Statement {
    Statement::new("nfs-gss-answer-unreadable")
}

/// The first token.
///
/// # Errors
/// There are no random numbers.
pub fn begin(held: &HeldTicket) -> Result<ApRequest, Statement> {
    let no_random = |error: getrandom::Error| {
        Statement::new("nfs-no-random-numbers").name("error", error.to_string())
    };
    let mut subkey = Zeroizing::new(vec![0; held.key.len()]);
    getrandom::fill(&mut subkey).map_err(no_random)?;
    let etype = if held.key.len() == 16 { 17 } else { 18 };
    let now = Timestamp::now();
    let time = now.strftime("%Y%m%d%H%M%SZ").to_string();
    let microseconds = now.subsec_nanosecond().unsigned_abs() / 1000;
    let authenticator = encode_authenticator(
        &held.realm,
        &held.client,
        &time,
        microseconds,
        Some((&subkey, etype)),
        Some(0),
        Some((&checksum(), 0x8003)),
    );
    let seal = Sealing::new(&held.key, OF_AUTHENTICATOR).map_err(|_| no_key())?;
    let cipher = seal.encrypt(&[&authenticator]).map_err(no_random)?;
    let sealed = EncryptedData {
        etype,
        kvno: None,
        cipher,
    };
    let request = encode_ap_req(&held.ticket, &sealed, true);
    Ok(ApRequest {
        token: tagged(0x60, &[&KRB5[..], &AP_REQ, &request].concat()),
        ticket_key: held.key.clone(),
        subkey,
        time: time_fields(&time, microseconds),
    })
}

/// What stands for a checksum in the authenticator (RFC 4121, 4.1.1): no channel is bound; the server proves itself too, messages may be signed and encrypted.
fn checksum() -> [u8; 24] {
    const MUTUAL: u32 = 2;
    const CONFIDENTIAL: u32 = 16;
    const INTEGRITY: u32 = 32;
    let mut bytes = [0; 24];
    bytes[0] = 16;
    bytes[20..].copy_from_slice(&(MUTUAL | CONFIDENTIAL | INTEGRITY).to_le_bytes());
    bytes
}

/// DER: a value behind its tag and length.
fn tagged(tag: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len();
    let mut bytes = vec![tag];
    match len {
        0..0x80 => bytes.push(len as u8),
        0x80..0x100 => bytes.extend_from_slice(&[0x81, len as u8]),
        _ => {
            let len = (len as u32).to_be_bytes();
            let skip = len.iter().take_while(|byte| **byte == 0).count();
            bytes.push(0x80 | (len.len() - skip) as u8);
            bytes.extend_from_slice(&len[skip..]);
        }
    }
    bytes.extend_from_slice(value);
    bytes
}

/// `ctime` and `cusec` of an EncAPRepPart.
fn time_fields(time: &str, microseconds: u32) -> Vec<u8> {
    let number = microseconds.to_be_bytes();
    let mut digits = &number[..];
    // The shortest form that is not negative.
    while let [0, next, ..] = digits
        && *next < 0x80
    {
        digits = &digits[1..];
    }
    [
        tagged(0xa0, &tagged(0x18, time.as_bytes())),
        tagged(0xa1, &tagged(2, digits)),
    ]
    .concat()
}

impl ApRequest {
    /// The keys of the context, by the server's token, which proves the server.
    ///
    /// # Errors
    /// It refuses, or proves nothing.
    pub fn agreed(&self, token: &[u8]) -> Result<Tokens, Statement> {
        let unreadable = |_| no_key();
        let (_, inner, _) = parse_gss_api_wrapper(token).map_err(unreadable)?;
        let Some((id, answer)) = inner.split_first_chunk::<2>() else {
            return Err(no_key());
        };
        if *id != AP_REP {
            return Err(refusal(token).unwrap_or_else(no_key));
        }
        let answer = parse_ap_rep(answer).map_err(unreadable)?;
        let seal = Sealing::new(&self.ticket_key, OF_AP_REP).map_err(|_| no_key())?;
        let not_proved = || Statement::new("nfs-gss-server-not-proved");
        let plain = seal
            .decrypt(&answer.enc_part.cipher)
            .map(Zeroizing::new)
            .map_err(|_| not_proved())?;
        // Only to this request, whose time it repeats (RFC 4120, 3.2.5).
        if !plain.windows(self.time.len()).any(|part| part == self.time) {
            return Err(not_proved());
        }
        let part = parse_enc_ap_rep_part(&plain).map_err(unreadable)?;
        match part.subkey {
            None => Tokens::of_client(&self.subkey, false).map_err(|_| no_key()),
            Some(key) => {
                let key_bytes = match key.keytype {
                    17 => 16,
                    18 => 32,
                    _ => 0,
                };
                let cipher = key.keytype.to_string();
                let key = Zeroizing::new(key.keyvalue);
                if key.len() != key_bytes {
                    return Err(Statement::new("nfs-gss-another-cipher").name("cipher", cipher));
                }
                Tokens::of_client(&key, true).map_err(|_| no_key())
            }
        }
    }
}

/// Kerberos' own word on why it refuses, when the token holds one.
pub fn refusal(token: &[u8]) -> Option<Statement> {
    let (_, inner, _) = parse_gss_api_wrapper(token).ok()?;
    let error = parse_krb_error(inner.strip_prefix(&KRB_ERROR[..])?).ok()?;
    Some(Statement::new("nfs-gss-kerberos-error").name("error", error.error_code.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smb2::auth::kerberos::messages::{PrincipalName, Ticket};

    fn held() -> HeldTicket {
        let name = |names: &[&str]| PrincipalName {
            name_type: 1,
            name_string: names.iter().map(|name| name.to_string()).collect(),
        };
        HeldTicket {
            ticket: Ticket {
                tkt_vno: 5,
                realm: "R".into(),
                sname: name(&["nfs", "host"]),
                enc_part: EncryptedData {
                    etype: 18,
                    kvno: None,
                    cipher: vec![1; 300],
                },
                raw_bytes: None,
            },
            key: Zeroizing::new(vec![5; 32]),
            realm: "R".into(),
            client: name(&["user"]),
        }
    }

    /// AP-REP by this key, with these fields.
    fn answer(key: &[u8], fields: &[u8]) -> Vec<u8> {
        let part = tagged(0x7b, &tagged(0x30, fields));
        let cipher = Sealing::new(key, OF_AP_REP)
            .unwrap()
            .encrypt(&[&part])
            .unwrap();
        let sealed = [
            tagged(0xa0, &tagged(2, &[18])),
            tagged(0xa2, &tagged(4, &cipher)),
        ];
        let fields = [
            tagged(0xa0, &tagged(2, &[5])),
            tagged(0xa1, &tagged(2, &[15])),
            tagged(0xa2, &tagged(0x30, &sealed.concat())),
        ];
        let message = tagged(0x6f, &tagged(0x30, &fields.concat()));
        tagged(0x60, &[&KRB5[..], &AP_REP, &message].concat())
    }

    #[test]
    fn only_an_answer_to_this_request_by_the_tickets_key_is_taken() {
        let request = begin(&held()).unwrap();
        assert!(request.agreed(&answer(&[5; 32], &request.time)).is_ok());
        let id = |token: &[u8]| request.agreed(token).unwrap_err().id.to_string();
        let other_key = answer(&[6; 32], &request.time);
        assert_eq!(id(&other_key), "nfs-gss-server-not-proved");
        let earlier = time_fields("20200101000000Z", 7);
        assert_eq!(id(&answer(&[5; 32], &earlier)), "nfs-gss-server-not-proved");
        assert_eq!(id(&[]), "nfs-gss-answer-unreadable");
        // The server's key, of a cipher that plumb has not.
        let subkey = [
            tagged(0xa0, &tagged(2, &[20])),
            tagged(0xa1, &tagged(4, &[1; 32])),
        ];
        let subkey = tagged(0xa2, &tagged(0x30, &subkey.concat()));
        let fields = [request.time.clone(), subkey].concat();
        assert_eq!(id(&answer(&[5; 32], &fields)), "nfs-gss-another-cipher");
    }
}
