//! How are objects of a bucket made, filled, listed and removed outside of a measurement? Files are objects, folders are the beginnings of their keys.

use md5::{Digest, Md5};
use plumb_model::statement::Statement;
use plumb_model::target::remote::{Remote, Scheme};
use plumb_model::workload::EngineChoice;

use super::client::{Client, malformed};
use super::connection::{Connection, Sink};
use super::fault::{Fault, Refused};
use super::request::Request;
use super::service::Service;
use super::signature::hex;
use super::xml;
use crate::engine::stop_request::StopRequest;
use crate::share::{
    NAMES_BYTES_MAX, NAMES_MAX, NextPiece, OWN_PREFIX, Share, ShareEntry, ShareError,
    ShareErrorKind, ShareKind, ShareRoom, SharedShare,
};

/// Content up to this length is sent by one PUT; beyond, in parts of this length. S3 wants at least 5 MiB of each but the last.
const PART_BYTES: u64 = 16 << 20;
/// Most parts of an object.
const PARTS_MAX: u64 = 10_000;
/// Keys in a page of a list.
const KEYS_MAX: u32 = 1000;
/// Pages one after the other that bring no name.
const EMPTY_PAGES_MAX: u32 = 100;

pub static SHARE: ShareKind = ShareKind {
    scheme: Scheme::S3,
    connect: |remote, _, choice, stop| connect(remote, choice, stop),
};

fn connect(
    remote: &Remote,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> Result<SharedShare, ShareError> {
    let service = Service::of(remote, choice, 0, stop)?;
    let mut bucket = Bucket::new(remote, Client::new(service, stop))?;
    bucket.enter()?;
    Ok(SharedShare::new(Box::new(bucket)))
}

/// A bucket, by a connection of its own.
pub struct Bucket {
    client: Client,
    /// What the address names in the bucket.
    prefix: String,
    /// Content on its way.
    block: Vec<u8>,
}

/// The beginning of all keys in a folder.
pub fn within(folder: &str) -> String {
    match folder {
        "" => String::new(),
        folder => format!("{folder}/"),
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

impl Bucket {
    /// Works in the bucket of this address.
    ///
    /// # Errors
    /// The path of the address is no prefix that folders can be made of.
    pub fn new(remote: &Remote, client: Client) -> Result<Bucket, ShareError> {
        let mut names = remote.path.split('/');
        let is_plain = names.all(|name| !matches!(name, "" | "." | ".."));
        if !remote.path.is_empty() && !is_plain {
            return Err(ShareError {
                kind: ShareErrorKind::Other,
                why: Statement::new("s3-prefix-is-malformed").name("target", remote.to_string()),
            });
        }
        Ok(Bucket {
            client,
            prefix: remote.path.clone(),
            block: Vec::new(),
        })
    }

    /// Lists a name, which shows whether key, region, clock and bucket are right: the reply to HEAD would not say what is wrong.
    fn enter(&mut self) -> Result<(), ShareError> {
        let page = self.client.page(&self.prefix, None, 1, None).map(|_| ());
        let tried = Statement::new("s3-tried-list").name("path", &self.prefix);
        page.map_err(|fault| self.client.error(&fault, tried))
    }

    fn find(&mut self, path: &str) -> Result<Option<ShareEntry>, Fault> {
        let entry = |is_folder: bool, size_bytes: u64| ShareEntry {
            name: name_of(path).to_string(),
            is_folder,
            size_bytes,
        };
        if path.is_empty() {
            return Ok(Some(entry(true, 0)));
        }
        if let Some(length) = self.client.length(path)? {
            return Ok(Some(entry(false, length)));
        }
        let page = self.client.page(&within(path), None, 1, None)?;
        let has_one = !page.objects.is_empty() || !page.prefixes.is_empty();
        Ok(has_one.then(|| entry(true, 0)))
    }

    fn entries(&mut self, folder: &str) -> Result<Vec<ShareEntry>, Fault> {
        let prefix = within(folder);
        let (mut entries, mut bytes, mut empty) = (Vec::new(), 0, 0);
        let mut token: Option<String> = None;
        loop {
            let before = entries.len();
            let token_before = token.take();
            let page = self
                .client
                .page(&prefix, Some("/"), KEYS_MAX, token_before.as_deref())?;
            for (key, size_bytes) in page.objects {
                let name = key.strip_prefix(&prefix).ok_or_else(malformed)?;
                // The folder's own marker.
                if !name.is_empty() {
                    bytes += name.len();
                    entries.push(ShareEntry {
                        name: name.to_string(),
                        is_folder: false,
                        size_bytes,
                    });
                }
            }
            for key in page.prefixes {
                let name = key
                    .strip_prefix(&prefix)
                    .and_then(|name| name.strip_suffix('/'));
                let name = name.ok_or_else(malformed)?;
                bytes += name.len();
                entries.push(ShareEntry {
                    name: name.to_string(),
                    is_folder: true,
                    size_bytes: 0,
                });
            }
            empty = if entries.len() > before { 0 } else { empty + 1 };
            let Some(next) = page.next else {
                return Ok(entries);
            };
            let is_endless = entries.len() > NAMES_MAX
                || bytes > NAMES_BYTES_MAX
                || empty > EMPTY_PAGES_MAX
                || token_before.as_ref() == Some(&next);
            if is_endless {
                let why = Statement::new("s3-list-is-endless")
                    .count("names", entries.len() as u64)
                    .name("path", folder);
                return Err(Fault::Unsound(why));
            }
            token = Some(next);
        }
    }

    /// Puts the first bytes of the block into an object or a part of one; returns the ETag.
    fn put(&mut self, request: &Request<'_>, bytes: usize) -> Result<String, Fault> {
        let sum = Md5::digest(&self.block[..bytes]);
        let sink = Sink::Memory(super::connection::ERROR_BODY_MAX);
        let is_express = self.client.service.settings.bucket.ends_with("--x-s3");
        let connection = self
            .client
            .call(request, Some(bytes), &mut self.block, sink)?;
        let tag = connection.header("etag").unwrap_or_default();
        if tag.is_empty() {
            return Err(Fault::Unsound(Statement::new("s3-no-etag")));
        }
        let tag = tag.to_string();
        if !is_express && is_md5(&tag, connection) && tag.trim_matches('"') != hex(&sum) {
            let why = Statement::new("s3-etag-is-another")
                .name("path", request.key)
                .name("etag", tag.trim_matches('"'))
                .name("sum", hex(&sum));
            return Err(Fault::Unsound(why));
        }
        Ok(tag)
    }

    /// Makes an object of no content.
    fn put_empty(&mut self, key: &str, is_new: bool) -> Result<(), Fault> {
        let request = Request {
            is_new,
            ..Request::new("PUT", key)
        };
        match self.put(&request, 0) {
            // Not every server knows the condition; that nothing is there was looked up before.
            Err(Fault::Refused(refused)) if is_new && is_condition_unknown(&refused) => {
                self.put(&Request::new("PUT", key), 0).map(|_| ())
            }
            result => result.map(|_| ()),
        }
    }

    /// Writes an object of up to [`PART_BYTES`] by one request.
    fn write_at_once(
        &mut self,
        key: &str,
        is_new: bool,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<bool, Fault> {
        self.block.resize(self.block.len().max(len as usize), 0);
        if len > 0 && !next(0, &mut self.block[..len as usize]) {
            return Ok(false);
        }
        let request = Request {
            is_new,
            ..Request::new("PUT", key)
        };
        match self.put(&request, len as usize) {
            Err(Fault::Refused(refused)) if is_new && is_condition_unknown(&refused) => {
                self.put(&Request::new("PUT", key), len as usize)?;
            }
            result => {
                result?;
            }
        }
        Ok(true)
    }

    /// Writes an object in parts; an upload that is not finished is aborted.
    fn write_in_parts(&mut self, key: &str, len: u64, next: NextPiece<'_>) -> Result<bool, Fault> {
        let request = Request {
            query: &[("uploads", "")],
            ..Request::new("POST", key)
        };
        let sink = Sink::Memory(super::connection::ERROR_BODY_MAX);
        let connection = self.client.call(&request, Some(0), &mut [], sink)?;
        let id = xml::upload_id(connection.body()).map_err(|_| malformed())?;
        let written = self
            .write_parts(key, &id, len, next)
            .and_then(|tags| match tags {
                Some(tags) => self.complete(key, &id, &tags, len).map(|()| true),
                None => Ok(false),
            });
        if !matches!(written, Ok(true)) {
            // The first error counts; what stays is found when the folder is removed.
            let _ = self.abort(key, &id);
        }
        written
    }

    /// The ETags of all parts; `None`: the user wants to end.
    fn write_parts(
        &mut self,
        key: &str,
        id: &str,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<Option<Vec<String>>, Fault> {
        let each = PART_BYTES.max(len.div_ceil(PARTS_MAX).next_multiple_of(1 << 20));
        let mut tags = Vec::new();
        let mut at = 0;
        while at < len {
            let bytes = each.min(len - at) as usize;
            self.block.resize(self.block.len().max(bytes), 0);
            if !next(at, &mut self.block[..bytes]) {
                return Ok(None);
            }
            let number = (tags.len() + 1).to_string();
            let request = Request {
                query: &[("partNumber", &number), ("uploadId", id)],
                ..Request::new("PUT", key)
            };
            tags.push(self.put(&request, bytes)?);
            at += bytes as u64;
        }
        Ok(Some(tags))
    }

    fn complete(&mut self, key: &str, id: &str, tags: &[String], len: u64) -> Result<(), Fault> {
        let mut body = xml::completion(tags).into_bytes();
        let request = Request {
            query: &[("uploadId", id)],
            ..Request::new("POST", key)
        };
        let sink = Sink::Memory(super::connection::ERROR_BODY_MAX);
        let bytes = body.len();
        let connection = self.client.call(&request, Some(bytes), &mut body, sink)?;
        // The server replies before it has put the parts together: an error may come in the body of a success.
        if xml::refusal(connection.body()).is_some() {
            return Err(Fault::Refused(Box::new(Refused::of(connection))));
        }
        match self.client.length(key)? {
            Some(found) if found == len => Ok(()),
            found => Err(Fault::Unsound(
                Statement::new("s3-object-has-another-length")
                    .name("path", key)
                    .count("found", found.unwrap_or(0))
                    .count("written", len),
            )),
        }
    }

    fn abort(&mut self, key: &str, id: &str) -> Result<(), Fault> {
        let request = Request {
            query: &[("uploadId", id)],
            ..Request::new("DELETE", key)
        };
        let sink = Sink::Memory(super::connection::ERROR_BODY_MAX);
        match self.client.call(&request, None, &mut [], sink).map(|_| ()) {
            Err(Fault::Refused(refused)) if refused.is_missing() => Ok(()),
            result => result,
        }
    }

    /// Removes what a folder of plumb's own leaves invisibly: uploads that were not finished, and old versions of objects.
    fn purge(&mut self, folder: &str) -> Result<(), Fault> {
        let prefix = within(folder);
        let query = [("prefix", Some(prefix.as_str())), ("uploads", Some(""))];
        if let Some(document) = offered(self.client.document("", &query))? {
            for (key, id) in xml::uploads(&document).map_err(|_| malformed())? {
                if key.starts_with(&prefix) {
                    self.abort(&key, &id)?;
                }
            }
        }
        for _ in 0..PARTS_MAX {
            let query = [("prefix", Some(prefix.as_str())), ("versions", Some(""))];
            let Some(document) = offered(self.client.document("", &query))? else {
                return Ok(());
            };
            let found = xml::versions(&document).map_err(|_| malformed())?;
            // "null" is the object itself in a bucket without versions.
            let own = found
                .into_iter()
                .filter(|(key, id)| key.starts_with(&prefix) && id != "null");
            let own: Vec<(String, Option<String>)> = own.map(|(key, id)| (key, Some(id))).collect();
            if own.is_empty() {
                return Ok(());
            }
            self.client.remove_many(&own)?;
        }
        Ok(())
    }

    fn remove_marker(&mut self, folder: &str) -> Result<(), Fault> {
        let prefix = within(folder);
        let page = self.client.page(&prefix, None, 2, None)?;
        if page.objects.iter().any(|(key, _)| *key != prefix) {
            let why = Statement::new("s3-folder-is-not-empty").name("path", folder);
            return Err(Fault::Unsound(why));
        }
        if !page.objects.is_empty() {
            self.client.remove(&prefix, None)?;
        }
        match name_of(folder).starts_with(OWN_PREFIX) {
            true => self.purge(folder),
            false => Ok(()),
        }
    }

    fn write(
        &mut self,
        path: &str,
        is_new: bool,
        start: u64,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<bool, Fault> {
        let found = self.client.length(path)?;
        let entirely = || {
            let why = Statement::new("s3-objects-are-written-entirely").name("path", path);
            Err(Fault::Unsound(why))
        };
        match found {
            Some(_) if is_new => return Err(exists()),
            Some(found) if found > start + len => return entirely(),
            _ if start > 0 => return entirely(),
            _ => {}
        }
        match len <= PART_BYTES {
            true => self.write_at_once(path, is_new, len, next),
            false => self.write_in_parts(path, len, next),
        }
    }

    /// A refusal as the error of a call.
    fn reported<T>(
        &self,
        result: Result<T, Fault>,
        tried: &'static str,
        path: &str,
    ) -> Result<T, ShareError> {
        result.map_err(|fault| self.client.error(&fault, tried_statement(tried, path)))
    }
}

/// What was tried, as a clause.
fn tried_statement(tried: &'static str, path: &str) -> Statement {
    match tried {
        "look-up" => Statement::new("s3-tried-look-up").name("path", path),
        "list" => Statement::new("s3-tried-list").name("path", path),
        "make-folder" => Statement::new("s3-tried-make-folder").name("path", path),
        "write" => Statement::new("s3-tried-write").name("path", path),
        "read" => Statement::new("s3-tried-read").name("path", path),
        _ => Statement::new("s3-tried-remove").name("path", path),
    }
}

/// There is an object, and none was expected.
fn exists() -> Fault {
    Fault::Refused(Box::new(Refused {
        status: 412,
        code: "PreconditionFailed".into(),
        message: String::new(),
        region: None,
        location: None,
        clock_ahead_s: None,
    }))
}

/// The server does not know `If-None-Match` on PUT.
fn is_condition_unknown(refused: &Refused) -> bool {
    refused.status == 501 || refused.code == "NotImplemented"
}

/// `None` where the server does not offer the request, or not to this key.
fn offered(result: Result<Vec<u8>, Fault>) -> Result<Option<Vec<u8>>, Fault> {
    match result {
        Ok(document) => Ok(Some(document)),
        Err(Fault::Refused(refused)) if matches!(refused.status, 400..=499 | 501) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// True of an ETag that is the MD5 of the content: in hexadecimal, and of an object that is not encrypted by a key of its own (as rclone decides it too).
fn is_md5(tag: &str, connection: &Connection) -> bool {
    let tag = tag.trim_matches('"');
    let encryption = connection.header("x-amz-server-side-encryption");
    tag.len() == 32
        && tag.bytes().all(|byte| byte.is_ascii_hexdigit())
        && encryption.is_none_or(|encryption| encryption == "AES256")
        && connection
            .header("x-amz-server-side-encryption-customer-algorithm")
            .is_none()
}

impl Share for Bucket {
    fn has_prefixes(&self) -> bool {
        true
    }

    fn room(&mut self) -> Result<Option<ShareRoom>, ShareError> {
        Ok(None)
    }

    fn look_up(&mut self, path: &str) -> Result<Option<ShareEntry>, ShareError> {
        let found = self.find(path);
        self.reported(found, "look-up", path)
    }

    fn list(&mut self, folder: &str) -> Result<Vec<ShareEntry>, ShareError> {
        let entries = self.entries(folder);
        self.reported(entries, "list", folder)
    }

    fn make_folder(&mut self, path: &str) -> Result<(), ShareError> {
        let made = self.find(path).and_then(|found| match found {
            Some(_) => Err(exists()),
            None => self.put_empty(&within(path), true),
        });
        self.reported(made, "make-folder", path)
    }

    fn write_file(
        &mut self,
        path: &str,
        is_new: bool,
        start: u64,
        len: u64,
        next: NextPiece<'_>,
    ) -> Result<bool, ShareError> {
        let written = self.write(path, is_new, start, len, next);
        self.reported(written, "write", path)
    }

    fn read_file(&mut self, path: &str, start: u64, max: usize) -> Result<Vec<u8>, ShareError> {
        if max == 0 {
            return Ok(Vec::new());
        }
        let request = Request {
            range: Some((start, start + max as u64 - 1)),
            ..Request::new("GET", path)
        };
        let read = self
            .client
            .call(&request, None, &mut [], Sink::Memory(max))
            .map(|connection| connection.body().to_vec());
        match read {
            // An object without content has no first byte.
            Err(Fault::Refused(refused)) if refused.status == 416 => Ok(Vec::new()),
            read => self.reported(read, "read", path),
        }
    }

    fn set_length(&mut self, path: &str, len: u64) -> Result<(), ShareError> {
        let set = self.client.length(path).and_then(|found| match found {
            Some(found) if found == len => Ok(()),
            _ if len == 0 => self.put_empty(path, false),
            _ => Err(Fault::Unsound(
                Statement::new("s3-objects-are-written-entirely").name("path", path),
            )),
        });
        self.reported(set, "write", path)
    }

    /// S3 does not report whether there was one.
    fn remove_file(&mut self, path: &str) -> Result<(), ShareError> {
        let removed = self.client.remove(path, None);
        self.reported(removed, "remove", path)
    }

    fn remove_files(&mut self, paths: &[String]) -> Result<(), ShareError> {
        let objects: Vec<(String, Option<String>)> =
            paths.iter().map(|path| (path.clone(), None)).collect();
        let removed = self.client.remove_many(&objects);
        self.reported(removed, "remove", paths.first().map_or("", String::as_str))
    }

    fn remove_folder(&mut self, path: &str) -> Result<(), ShareError> {
        let removed = self.remove_marker(path);
        self.reported(removed, "remove", path)
    }
}
