//! How does the server listen? One thread for all connections, within limits of number, size and time; the pages are made by others beside it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, TcpListener};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer::{Answer, BrowserRequest, Trouble, protection};
use super::pages::Pages;

/// Connections at the same time, and those of one address among them.
const CONNECTIONS_MAX: u32 = 128;
const CONNECTIONS_PER_ADDRESS: u32 = 64;
/// Threads that make pages.
const MAKERS: usize = 12;
/// The lines before the body: bytes, lines, and how long they may take. An idle connection is closed after the same time.
const HEAD_BYTES: usize = 16 << 10;
const HEAD_LINES: usize = 64;
const HEAD_TIME: Duration = Duration::from_secs(10);
/// What a form of ours sends is a few dozen bytes.
const BODY_BYTES: usize = 4 << 10;
const BODY_TIME: Duration = Duration::from_secs(5);
/// How long a page may take.
const PAGE_TIME: Duration = Duration::from_secs(60);
/// A connection takes no further request after this time, and is cut off so long after that: who never reads what he asked for holds no place for ever.
const CONNECTION_TIME: Duration = Duration::from_secs(90);
const FAREWELL: Duration = Duration::from_secs(70);
/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(200);

/// Connections that are open, by address.
#[derive(Default)]
struct Open(Mutex<HashMap<IpAddr, u32>>);

/// The place of one connection.
struct Place {
    open: Arc<Open>,
    address: IpAddr,
}

impl Open {
    fn take(self: &Arc<Open>, address: IpAddr) -> Option<Place> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = open.get(&address).copied().unwrap_or(0);
        if open.values().sum::<u32>() >= CONNECTIONS_MAX || of_address >= CONNECTIONS_PER_ADDRESS {
            return None;
        }
        open.insert(address, of_address + 1);
        Some(Place {
            open: self.clone(),
            address,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.open.0.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&self.address)),
        }
    }
}

/// Serves until `stop` is set. Errors: the system gives no thread, or the socket cannot be watched.
pub fn serve(listener: TcpListener, pages: &Arc<Pages>, stop: &AtomicBool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(MAKERS)
        .build()
        .context("the system gives no thread to serve with (ulimit -u)")?;
    let served = runtime.block_on(accept(listener, pages, stop));
    runtime.shutdown_background();
    served
}

async fn accept(
    listener: TcpListener,
    pages: &Arc<Pages>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let listener =
        tokio::net::TcpListener::from_std(listener).context("the socket cannot be watched")?;
    let open = Arc::new(Open::default());
    while !stop.load(Ordering::Relaxed) {
        let Ok(accepted) = timeout(LOOK, listener.accept()).await else {
            continue;
        };
        let Ok((stream, from)) = accepted else {
            // No descriptor is left, or the client has gone: whoever knocks may come back.
            tokio::time::sleep(LOOK).await;
            continue;
        };
        // Without a place the connection is closed.
        if let Some(place) = open.take(from.ip()) {
            tokio::spawn(connection(stream, pages.clone(), place));
        }
    }
    Ok(())
}

async fn connection(stream: TcpStream, pages: Arc<Pages>, place: Place) {
    let service = service_fn(move |request| answer(request, pages.clone()));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_LINES);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // How it ends is nothing to say: who asks sees it, and an address may hold the token.
    if timeout(CONNECTION_TIME, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(FAREWELL, connection).await;
    }
    drop(place);
}

async fn answer(
    request: Request<Incoming>,
    pages: Arc<Pages>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let answer = match parsed(request).await {
        Err(answer) => answer,
        Ok(parsed) => {
            let words = pages.words();
            let made = tokio::task::spawn_blocking(move || pages.answer(&parsed));
            match timeout(PAGE_TIME, made).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => refusal(&Trouble::Failed, words),
                Err(_) => refusal(&Trouble::TooLong, words),
            }
        }
    };
    Ok(response(answer))
}

fn refusal(trouble: &Trouble, words: plumb_words::Words) -> Answer {
    Answer::text(trouble.status(), trouble.text(words))
}

/// The request as values. Errors: an answer to what is no request.
async fn parsed(request: Request<Incoming>) -> Result<BrowserRequest, Answer> {
    let refused = |status: u16| Answer::text(status, String::new());
    let (head, body) = request.into_parts();
    // Requests to a proxy name a whole address; this is none.
    if head.uri.authority().is_some() || !head.uri.path().starts_with('/') {
        return Err(refused(400));
    }
    let body = match timeout(BODY_TIME, Limited::new(body, BODY_BYTES).collect()).await {
        Ok(Ok(body)) => String::from_utf8(body.to_bytes().into()).map_err(|_| refused(400))?,
        Ok(Err(_)) => return Err(refused(413)),
        Err(_) => return Err(refused(408)),
    };
    let headers = head.headers.iter().filter_map(|(name, value)| {
        Some((name.as_str().to_string(), value.to_str().ok()?.to_string()))
    });
    Ok(BrowserRequest {
        method: head.method.as_str().to_string(),
        path: head.uri.path().to_string(),
        query: head.uri.query().unwrap_or_default().to_string(),
        headers: headers.collect(),
        body,
    })
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let Answer {
        status,
        kind,
        headers,
        body,
    } = answer;
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in headers.into_iter().chain(protection()) {
        // A value that no header may have is left out: it comes from an address that a browser sent.
        if let Ok(value) = HeaderValue::from_str(&value) {
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
    }
    response
}
