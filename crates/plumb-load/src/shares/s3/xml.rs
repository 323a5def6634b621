//! What do the XML documents of an object store say? Lists of names, errors, and identifiers of uploads; each read element by element, with limits.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Deepest nesting: lists have 4 levels.
const DEPTH_MAX: usize = 16;
/// Longest text of an element: a key has at most 1024 bytes, encoded up to three times as many.
const TEXT_MAX: usize = 16 << 10;

/// The document is malformed or beyond all measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedXml;

/// Walks through a document: `found` gets the path of names, without the root, and the text of each element that has no others.
fn walk(document: &[u8], mut found: impl FnMut(&[String], &str)) -> Result<String, MalformedXml> {
    let text = std::str::from_utf8(document).map_err(|_| MalformedXml)?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut path, mut value, mut root) = (Vec::<String>::new(), String::new(), String::new());
    loop {
        match reader.read_event().map_err(|_| MalformedXml)? {
            Event::Start(element) => {
                if path.len() >= DEPTH_MAX || (path.is_empty() && !root.is_empty()) {
                    return Err(MalformedXml);
                }
                let name = element.local_name();
                let name = name.as_ref().to_string();
                if path.is_empty() {
                    root.clone_from(&name);
                }
                path.push(name);
                value.clear();
            }
            Event::End(_) => {
                if path.len() > 1 {
                    found(&path[1..], &value);
                }
                path.pop();
                value.clear();
            }
            Event::Text(part) => push(&mut value, &part)?,
            Event::CData(part) => push(&mut value, &part)?,
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().map_err(|_| MalformedXml)?;
                match character {
                    Some(character) => push(&mut value, character.encode_utf8(&mut [0; 4]))?,
                    None => {
                        let known = quick_xml::escape::resolve_predefined_entity(&reference);
                        push(&mut value, known.ok_or(MalformedXml)?)?;
                    }
                }
            }
            Event::Eof if path.is_empty() && !root.is_empty() => return Ok(root),
            Event::Eof => return Err(MalformedXml),
            // A document type may define entities that grow without bound.
            Event::DocType(_) => return Err(MalformedXml),
            _ => {}
        }
    }
}

fn push(value: &mut String, part: &str) -> Result<(), MalformedXml> {
    if value.len() + part.len() > TEXT_MAX {
        return Err(MalformedXml);
    }
    value.push_str(part);
    Ok(())
}

/// One page of a list of objects.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Keys with their sizes in bytes.
    pub objects: Vec<(String, u64)>,
    /// Beginnings of keys up to the delimiter, with it.
    pub prefixes: Vec<String>,
    /// There are more, from this token on.
    pub next: Option<String>,
}

/// Reads the reply to ListObjectsV2.
///
/// # Errors
/// It is none.
pub fn listing(document: &[u8]) -> Result<Listing, MalformedXml> {
    let mut listing = Listing::default();
    let (mut key, mut size, mut is_truncated, mut token) = (None, None, false, None);
    let mut is_wrong = false;
    let root = walk(document, |path, text| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["Contents", "Key"] => key = Some(text.to_string()),
            ["Contents", "Size"] => size = text.trim().parse().ok(),
            ["Contents"] => match (key.take(), size.take()) {
                (Some(key), Some(size)) => listing.objects.push((key, size)),
                _ => is_wrong = true,
            },
            ["CommonPrefixes", "Prefix"] => listing.prefixes.push(text.to_string()),
            ["IsTruncated"] => is_truncated = text.trim() == "true",
            ["NextContinuationToken"] => token = Some(text.to_string()),
            _ => {}
        }
    })?;
    if root != "ListBucketResult" || is_wrong || (is_truncated && token.is_none()) {
        return Err(MalformedXml);
    }
    listing.next = token.filter(|_| is_truncated);
    Ok(listing)
}

/// What a server says when it refuses a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    /// The region that the bucket is in, if the server names it.
    pub region: Option<String>,
}

/// Reads the body of an error; `None` where it is none.
pub fn refusal(document: &[u8]) -> Option<Refusal> {
    let mut refusal = Refusal::default();
    let root = walk(document, |path, text| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["Code"] => refusal.code = text.trim().to_string(),
            ["Message"] => refusal.message = text.trim().to_string(),
            ["Region"] => refusal.region = Some(text.trim().to_string()),
            _ => {}
        }
    });
    (root.ok()? == "Error" && !refusal.code.is_empty()).then_some(refusal)
}

/// Reads the reply to CopyObject.
///
/// # Errors
/// It is an error of the server, or, without one, no reply to a copy.
pub fn copied(document: &[u8]) -> Result<(), Option<Refusal>> {
    match walk(document, |_, _| {}) {
        Ok(root) if root == "CopyObjectResult" => Ok(()),
        _ => Err(refusal(document)),
    }
}

/// Reads the identifier of an upload in parts from the reply to its creation.
///
/// # Errors
/// There is none.
pub fn upload_id(document: &[u8]) -> Result<String, MalformedXml> {
    let mut id = None;
    walk(document, |path, text| {
        if path == ["UploadId"] {
            id = Some(text.trim().to_string());
        }
    })?;
    id.filter(|id| !id.is_empty()).ok_or(MalformedXml)
}

/// The settings of a bucket: the path of names below the root, joined by `/`, and the text of each element, in order.
///
/// # Errors
/// It is no document.
pub fn settings(document: &[u8]) -> Result<Vec<(String, String)>, MalformedXml> {
    let mut all = Vec::new();
    walk(document, |path, text| {
        all.push((path.join("/"), text.trim().to_string()))
    })?;
    Ok(all)
}

/// Reads the uploads in parts that were not finished: keys with identifiers.
///
/// # Errors
/// The document is no list of uploads.
pub fn uploads(document: &[u8]) -> Result<Vec<(String, String)>, MalformedXml> {
    pairs(
        document,
        "ListMultipartUploadsResult",
        &["Upload"],
        "UploadId",
    )
}

/// Reads the versions and delete markers of objects: keys with identifiers.
///
/// # Errors
/// The document is no list of versions.
pub fn versions(document: &[u8]) -> Result<Vec<(String, String)>, MalformedXml> {
    let items = ["Version", "DeleteMarker"];
    pairs(document, "ListVersionsResult", &items, "VersionId")
}

fn pairs(
    document: &[u8],
    root: &str,
    items: &[&str],
    id: &str,
) -> Result<Vec<(String, String)>, MalformedXml> {
    let (mut pairs, mut key, mut found) = (Vec::new(), None, None);
    let named = walk(document, |path, text| match path {
        [item, part] if items.contains(&item.as_str()) && part == "Key" => {
            key = Some(text.to_string());
        }
        [item, part] if items.contains(&item.as_str()) && part == id => {
            found = Some(text.trim().to_string());
        }
        [item] if items.contains(&item.as_str()) => {
            pairs.extend(key.take().zip(found.take()));
        }
        _ => {}
    })?;
    (named == root).then_some(pairs).ok_or(MalformedXml)
}

/// The body that deletes objects or versions of them: keys, and identifiers of versions where they are known.
pub fn deletion(objects: &[(String, Option<String>)]) -> String {
    let object = |(key, version): &(String, Option<String>)| {
        let key = quick_xml::escape::escape(key.as_str());
        let version = version.as_ref().map(|id| {
            format!(
                "<VersionId>{}</VersionId>",
                quick_xml::escape::escape(id.as_str())
            )
        });
        format!(
            "<Object><Key>{key}</Key>{}</Object>",
            version.unwrap_or_default()
        )
    };
    let objects: String = objects.iter().map(object).collect();
    format!("<Delete><Quiet>true</Quiet>{objects}</Delete>")
}

/// Reads what could not be deleted from the reply to the deletion of many objects: keys with codes.
///
/// # Errors
/// The document is no such reply.
pub fn not_deleted(document: &[u8]) -> Result<Vec<(String, String)>, MalformedXml> {
    pairs(document, "DeleteResult", &["Error"], "Code")
}

/// The body that completes an upload in parts, from the ETags of its parts in order.
pub fn completion(tags: &[String]) -> String {
    let parts = tags.iter().zip(1..).map(|(tag, number)| {
        let tag = quick_xml::escape::escape(tag.as_str());
        format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>")
    });
    let parts: String = parts.collect();
    format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_list_is_read() {
        let document = r#"<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>a/</Prefix><KeyCount>3</KeyCount><IsTruncated>true</IsTruncated><NextContinuationToken>1/2==</NextContinuationToken>
<Contents><Key>a/x&amp;y &#252;</Key><Size>12</Size><ETag>&quot;0&quot;</ETag><Owner><ID>1</ID></Owner></Contents>
<Contents><Size>0</Size><Key>a/</Key></Contents><CommonPrefixes><Prefix>a/b/</Prefix></CommonPrefixes></ListBucketResult>"#;
        let listing = listing(document.as_bytes()).expect("a list");
        assert_eq!(
            listing.objects,
            [("a/x&y ü".to_string(), 12), ("a/".to_string(), 0)]
        );
        assert_eq!(listing.prefixes, ["a/b/"]);
        assert_eq!(listing.next.as_deref(), Some("1/2=="));
    }

    #[test]
    fn errors_and_identifiers_are_read() {
        let document = b"<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'eu-west-1'</Message><Region>eu-west-1</Region><HostId/></Error>";
        let found = refusal(document).expect("an error");
        assert_eq!(
            (found.code.as_str(), found.region.as_deref()),
            ("AuthorizationHeaderMalformed", Some("eu-west-1"))
        );
        assert_eq!(refusal(b"<html><body>Bad Gateway</body></html>"), None);
        assert_eq!(refusal(b""), None);
        assert_eq!(copied(document), Err(Some(found)));
        let done = b"<CopyObjectResult><ETag>&quot;0&quot;</ETag></CopyObjectResult>";
        assert_eq!(copied(done), Ok(()));
        for other in [&b""[..], b"<CopyObjectResult>", b"<ListBucketResult/>"] {
            assert_eq!(copied(other), Err(None));
        }
        let document = b"<InitiateMultipartUploadResult><Bucket>b</Bucket><UploadId>u-1</UploadId></InitiateMultipartUploadResult>";
        assert_eq!(upload_id(document).as_deref(), Ok("u-1"));
        let document = b"<ListMultipartUploadsResult><Upload><Key>k</Key><UploadId>u</UploadId></Upload></ListMultipartUploadsResult>";
        assert_eq!(uploads(document), Ok(vec![("k".into(), "u".into())]));
        let document = b"<ListVersionsResult><Version><Key>k</Key><VersionId>1</VersionId></Version><DeleteMarker><Key>k</Key><VersionId>2</VersionId></DeleteMarker></ListVersionsResult>";
        let expected = vec![("k".into(), "1".into()), ("k".into(), "2".into())];
        assert_eq!(versions(document), Ok(expected));
        assert_eq!(
            completion(&["\"e\"".into()]),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>&quot;e&quot;</ETag></Part></CompleteMultipartUpload>"
        );
    }

    #[test]
    fn many_objects_are_deleted_by_one_document() {
        let objects = [("a&b".to_string(), None), ("c".into(), Some("v<1".into()))];
        assert_eq!(
            deletion(&objects),
            "<Delete><Quiet>true</Quiet><Object><Key>a&amp;b</Key></Object><Object><Key>c</Key><VersionId>v&lt;1</VersionId></Object></Delete>"
        );
        let reply = b"<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>";
        assert_eq!(
            not_deleted(reply),
            Ok(vec![("b".into(), "AccessDenied".into())])
        );
        assert_eq!(not_deleted(b"<DeleteResult/>"), Ok(Vec::new()));
        assert_eq!(not_deleted(b"<Other></Other>"), Err(MalformedXml));
    }

    /// Each document with one byte changed or cut is read or refused, and nothing else.
    #[test]
    fn mangled_documents_are_refused() {
        let document = b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken><Contents><Key>k&amp;</Key><Size>1</Size></Contents></ListBucketResult>";
        assert!(listing(document).is_ok());
        for at in 0..document.len() {
            assert_eq!(listing(&document[..at]), Err(MalformedXml), "cut at {at}");
            for byte in [b'<', b'>', b'&', b'/', 0, 0xff] {
                let mut mangled = document.to_vec();
                mangled[at] = byte;
                let _ = (listing(&mangled), refusal(&mangled), versions(&mangled));
                let _ = (settings(&mangled), not_deleted(&mangled));
            }
        }
        let deep = "<a>".repeat(1000);
        assert_eq!(listing(deep.as_bytes()), Err(MalformedXml));
        let long = format!(
            "<ListBucketResult><Key>{}</Key></ListBucketResult>",
            "k".repeat(TEXT_MAX + 1)
        );
        assert_eq!(listing(long.as_bytes()), Err(MalformedXml));
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><ListBucketResult>&a;</ListBucketResult>";
        assert_eq!(listing(bomb.as_bytes()), Err(MalformedXml));
        let without_token = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>";
        assert_eq!(listing(without_token.as_bytes()), Err(MalformedXml));
    }
}
