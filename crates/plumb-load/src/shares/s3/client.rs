//! How is one request carried out to its end, outside of a measurement?

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use md5::{Digest, Md5};
use plumb_model::statement::Statement;

use super::connection::{Connection, Sink};
use super::fault::{Fault, Refused};
use super::request::Request;
use super::service::Service;
use super::xml::{self, Listing};
use crate::engine::stop_request::{LOOK, StopRequest};
use crate::share::ShareError;

/// Longest reply that lists names: a page has up to 1000 keys of 1024 bytes.
pub const LIST_MAX: usize = 8 << 20;

/// Most objects that S3 deletes by one request.
const DELETED_AT_ONCE: usize = 1000;

/// A client with one connection.
pub struct Client {
    pub service: Service,
    connection: Option<Connection>,
    stop: StopRequest,
    /// The server deletes many objects by one request, as far as is known.
    deletes_many: bool,
    /// The server did not respond after the stop request: no more requests are sent.
    gave_up: Option<Duration>,
}

impl Client {
    pub fn new(service: Service, stop: &StopRequest) -> Client {
        Client {
            service,
            connection: None,
            stop: stop.clone(),
            deletes_many: true,
            gave_up: None,
        }
    }

    /// Carries a request out. Its body is the first `body_bytes` of the block if there are to be any; what comes goes to the sink. A connection that the server
    /// closed while it was idle is replaced once.
    ///
    /// # Errors
    /// Why it was not carried out.
    pub fn call(
        &mut self,
        request: &Request<'_>,
        body_bytes: Option<usize>,
        block: &mut [u8],
        sink: Sink,
    ) -> Result<&Connection, Fault> {
        let mut connection = self.connection.take();
        if connection.as_mut().is_some_and(|one| !one.is_usable()) {
            connection = None;
        }
        let mut connection = match connection {
            Some(connection) => connection,
            None => self.service.dial()?,
        };
        let was_idle = connection.served() > 0;
        let mut result = self.exchange(&mut connection, request, body_bytes, block, sink);
        if was_idle && result.as_ref().is_err_and(Fault::is_of_idle_connection) {
            connection = self.service.dial()?;
            result = self.exchange(&mut connection, request, body_bytes, block, sink);
        }
        // A name may have an address that does not respond.
        let mut others = self.service.addresses().len().min(4);
        while others > 1 && matches!(&result, Err(Fault::Broken(_))) && !connection.wire().is_made()
        {
            others -= 1;
            connection = self.service.dial()?;
            result = self.exchange(&mut connection, request, body_bytes, block, sink);
        }
        if let Err(Fault::Stopped(time)) = &result {
            self.gave_up = Some(*time);
        }
        result?;
        Ok(self.connection.insert(connection))
    }

    fn exchange(
        &mut self,
        connection: &mut Connection,
        request: &Request<'_>,
        body_bytes: Option<usize>,
        block: &mut [u8],
        sink: Sink,
    ) -> Result<(), Fault> {
        if let Some(time) = self.gave_up {
            return Err(Fault::Stopped(time));
        }
        let body = body_bytes.map(|count| &block[..count]);
        self.service.heads.write(request, body, connection.head());
        connection.begin(body_bytes.unwrap_or(0), sink);
        let mut requested_at = None;
        while !connection.advance(block)? {
            if connection.wait(LOOK)? {
                continue;
            }
            if self.stop.is_made() {
                let since: &mut Instant = requested_at.get_or_insert_with(Instant::now);
                if let Some(waited) = self.stop.is_enough(*since) {
                    return Err(Fault::Stopped(waited));
                }
            }
        }
        match connection.is_success() {
            true => Ok(()),
            false => Err(Fault::Refused(Box::new(Refused::of(connection)))),
        }
    }

    /// The error of a request, for a message.
    pub fn error(&self, fault: &Fault, tried: Statement) -> ShareError {
        fault.error(
            self.service.target(),
            &self.service.settings.server(),
            tried,
        )
    }

    /// Length of an object; `None`: there is none.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn length(&mut self, key: &str) -> Result<Option<u64>, Fault> {
        let request = Request::new("HEAD", key);
        match self.call(&request, None, &mut [], Sink::None) {
            Ok(connection) => {
                let length = connection.header("content-length");
                let length = length.and_then(|length| length.parse().ok());
                let unsound = || Fault::Unsound(Statement::new("s3-no-length"));
                length.map(Some).ok_or_else(unsound)
            }
            Err(Fault::Refused(refused)) if refused.is_missing() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// One page of the keys that begin with a prefix; with a delimiter, up to it.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn page(
        &mut self,
        prefix: &str,
        delimiter: Option<&str>,
        keys_max: u32,
        token: Option<&str>,
    ) -> Result<Listing, Fault> {
        let keys_max = keys_max.to_string();
        let query = [
            ("continuation-token", token),
            ("delimiter", delimiter),
            ("list-type", Some("2")),
            ("max-keys", Some(keys_max.as_str())),
            ("prefix", Some(prefix)),
        ];
        let document = self.document("", &query)?;
        xml::listing(&document).map_err(|_| malformed())
    }

    /// The reply to a GET with this query, an XML document.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn document(
        &mut self,
        key: &str,
        query: &[(&str, Option<&str>)],
    ) -> Result<Vec<u8>, Fault> {
        let query = query
            .iter()
            .filter_map(|(name, value)| Some((*name, (*value)?)));
        let query: Vec<(&str, &str)> = query.collect();
        let request = Request {
            query: &query,
            ..Request::new("GET", key)
        };
        let connection = self.call(&request, None, &mut [], Sink::Memory(LIST_MAX))?;
        Ok(connection.body().to_vec())
    }

    /// Removes objects, or versions of them: a thousand by one request, or one after the other where the server does not offer that. What is gone already is no error.
    ///
    /// # Errors
    /// As [`Client::call`]; the first that was not removed.
    pub fn remove_many(&mut self, objects: &[(String, Option<String>)]) -> Result<(), Fault> {
        for some in objects.chunks(DELETED_AT_ONCE) {
            if self.deletes_many && some.len() > 1 {
                match self.delete(some) {
                    Err(Fault::Refused(refused)) if refused.is_not_offered() => {
                        self.deletes_many = false;
                    }
                    result => {
                        result?;
                        continue;
                    }
                }
            }
            for (key, version) in some {
                match self.remove(key, version.as_deref()) {
                    Err(Fault::Refused(refused)) if refused.is_missing() => {}
                    result => result?,
                }
            }
        }
        Ok(())
    }

    fn delete(&mut self, objects: &[(String, Option<String>)]) -> Result<(), Fault> {
        let mut body = xml::deletion(objects).into_bytes();
        let sum = BASE64.encode(Md5::digest(&body));
        let request = Request {
            query: &[("delete", "")],
            content_md5: Some(&sum),
            ..Request::new("POST", "")
        };
        let bytes = body.len();
        let connection = self.call(&request, Some(bytes), &mut body, Sink::Memory(LIST_MAX))?;
        if xml::refusal(connection.body()).is_some() {
            return Err(Fault::Refused(Box::new(Refused::of(connection))));
        }
        let left = xml::not_deleted(connection.body()).map_err(|_| malformed())?;
        let mut left = left
            .into_iter()
            .filter(|(_, code)| code != "NoSuchKey" && code != "NoSuchVersion");
        match left.next() {
            None => Ok(()),
            Some((key, code)) => Err(Fault::Unsound(
                Statement::new("s3-object-is-not-deleted")
                    .name("path", key)
                    .name("code", code),
            )),
        }
    }

    /// Removes an object, or one version of it. S3 reports success where there is none.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn remove(&mut self, key: &str, version: Option<&str>) -> Result<(), Fault> {
        let query: Vec<(&str, &str)> = version.map(|id| ("versionId", id)).into_iter().collect();
        let request = Request {
            query: &query,
            ..Request::new("DELETE", key)
        };
        self.call(&request, None, &mut [], Sink::Memory(LIST_MAX))
            .map(|_| ())
    }
}

/// The reply is not the document that was requested.
pub fn malformed() -> Fault {
    Fault::Unsound(Statement::new("s3-document-is-malformed"))
}
