//! [`Access`]: who may use the server. Checks tokens, and the `Host` and `Origin` headers of
//! browsers.
// CITE: RFC 6454, "The Web Origin Concept"; DNS rebinding: https://crypto.stanford.edu/dns/dns-rebinding.pdf

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::time::Instant;

/// The secret that clients must show.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Why a token cannot be used.
#[derive(Debug, Error)]
pub enum AccessError {
    /// The file cannot be read.
    #[error("--token-file {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// Other users may read the file.
    #[error("--token-file {0}: other users may read it; its mode must be 0600")]
    Open(PathBuf),
    /// The token is too short.
    #[error("--token-file {0}: the token has {1} characters; it needs at least {MIN_TOKEN_CHARS}")]
    Short(PathBuf, usize),
}

/// The minimum length of a token, in characters.
const MIN_TOKEN_CHARS: usize = 32;

impl Token {
    /// Reads the token from a file, which only its owner may read.
    pub fn read(path: &Path) -> Result<Self, AccessError> {
        let unreadable = |error| AccessError::Unreadable(path.to_owned(), error);
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(AccessError::Open(path.to_owned()));
            }
        }
        let token = text.trim();
        match token.chars().count() {
            length if length < MIN_TOKEN_CHARS => Err(AccessError::Short(path.to_owned(), length)),
            _ => Ok(Self(token.to_owned())),
        }
    }

    /// Compares with `other` in constant time, so that the time tells nothing about the token.
    fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

/// Who may use the server.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The token that clients must show; `None` only if the server listens on loopback.
    pub token: Option<Token>,
    /// The origins of other web pages that may use the server.
    pub origins: Vec<String>,
    /// The host names of the server, in addition to those of loopback.
    pub hosts: Vec<String>,
}

/// The host names of loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Access {
    /// Refuses a request with an unknown `Host` header. This prevents DNS rebinding.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.ok_or(StatusCode::MISDIRECTED_REQUEST)?;
        let name = without_port(host);
        let is = |known: &str| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(host);
        let is_known = LOOPBACK.into_iter().any(is) || self.hosts.iter().any(|known| is(known));
        if is_known { Ok(()) } else { Err(StatusCode::MISDIRECTED_REQUEST) }
    }

    /// Refuses a request with the `Origin` of another site. Programs other than browsers send no
    /// `Origin`.
    pub(crate) fn check_origin(&self, headers: &HeaderMap, port: u16) -> Result<(), StatusCode> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| StatusCode::FORBIDDEN)?;
        let own = LOOPBACK.iter().map(|name| format!("http://{name}:{port}"));
        let is_known = own.chain(self.origins.iter().cloned()).any(|known| known == origin);
        if is_known && origins.next().is_none() { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
    }

    /// Returns whether the headers have the token, or the server needs none.
    pub(crate) fn shows_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        shown.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|it| token.is(it.trim()))
    }

    /// Returns whether `text` is the token, or the server needs none.
    pub(crate) fn accepts(&self, text: Option<&str>) -> bool {
        self.token.as_ref().is_none_or(|token| text.is_some_and(|text| token.is(text)))
    }
}

/// Returns a host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() =>
        {
            // In an IPv6 address only digits after the brackets are a port.
            if name.starts_with('[') && !name.ends_with(']') { host } else { name }
        }
        _ => host,
    }
}

/// How many wrong tokens an address may show in a minute.
const MAX_FAILURES: usize = 5;
const MINUTE: Duration = Duration::from_secs(60);

/// Limits wrong tokens and new connections per address.
#[derive(Debug, Default)]
pub(crate) struct AddressLimiter {
    /// When each address showed wrong tokens.
    failures: HashMap<IpAddr, Vec<Instant>>,
    /// How many connections each address opened since an instant of the last second.
    connections: HashMap<IpAddr, (Instant, u32)>,
}

impl AddressLimiter {
    /// Returns whether an address is blocked because of too many wrong tokens.
    pub(crate) fn is_blocked(&mut self, address: IpAddr, now: Instant) -> bool {
        let Some(times) = self.failures.get_mut(&address) else { return false };
        times.retain(|at| now.saturating_duration_since(*at) < MINUTE);
        let is_blocked = times.len() >= MAX_FAILURES;
        if times.is_empty() {
            self.failures.remove(&address);
        }
        is_blocked
    }

    /// Records a wrong token of an address.
    pub(crate) fn record_failure(&mut self, address: IpAddr, now: Instant) {
        let is_recent = |at: &Instant| now.saturating_duration_since(*at) < MINUTE;
        self.failures.retain(|_, times| times.iter().any(is_recent));
        let times = self.failures.entry(address).or_default();
        if times.len() < MAX_FAILURES {
            times.push(now);
        }
    }

    /// Counts a connection. Returns `false` if the address opened more than `limit` in a second.
    pub(crate) fn allow_connection(&mut self, address: IpAddr, limit: u32, now: Instant) -> bool {
        const SECOND: Duration = Duration::from_secs(1);
        if address.is_loopback() {
            return true;
        }
        self.connections.retain(|_, (since, _)| now.saturating_duration_since(*since) < SECOND);
        let (_, count) = self.connections.entry(address).or_insert((now, 0));
        *count += 1;
        *count <= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_our_own_page_and_allowed_origins_are_served() {
        let access =
            Access { origins: vec!["https://board.example".to_owned()], ..Access::default() };
        let origin =
            |origin: &str| access.check_origin(&headers(&[(header::ORIGIN, origin)]), 7878).is_ok();
        for good in [
            "http://localhost:7878",
            "http://127.0.0.1:7878",
            "http://[::1]:7878",
            "https://board.example",
        ] {
            assert!(origin(good), "{good}");
        }
        for bad in [
            "null",
            "http://localhost",
            "http://localhost:7879",
            "https://localhost:7878",
            "http://board.example",
            "https://board.example:8443",
            "http://localhost:7878.evil.example",
        ] {
            assert!(!origin(bad), "{bad}");
        }
        assert!(access.check_origin(&HeaderMap::new(), 7878).is_ok());
    }

    #[test]
    fn only_known_host_names_are_served() {
        let access = Access { hosts: vec!["engine.example".to_owned()], ..Access::default() };
        let host = |host: &str| access.check_host(&headers(&[(header::HOST, host)])).is_ok();
        for good in [
            "localhost:7878",
            "LOCALHOST",
            "127.0.0.1:7878",
            "[::1]:7878",
            "[::1]",
            "engine.example:80",
        ] {
            assert!(host(good), "{good}");
        }
        for bad in ["evil.example", "localhost.evil.example:7878", "[::2]:7878", "", ":7878"] {
            assert!(!host(bad), "{bad}");
        }
        assert_eq!(access.check_host(&HeaderMap::new()), Err(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn five_wrong_tokens_block_an_address_for_a_minute() {
        let (mut limiter, now) = (AddressLimiter::default(), Instant::now());
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for _ in 0..MAX_FAILURES {
            assert!(!limiter.is_blocked(one, now));
            limiter.record_failure(one, now);
        }
        assert!(limiter.is_blocked(one, now) && !limiter.is_blocked(other, now));
        assert!(!limiter.is_blocked(one, now + MINUTE));
    }

    #[test]
    fn the_connections_of_an_address_per_second_are_limited() {
        let (mut limiter, now) = (AddressLimiter::default(), Instant::now());
        let far = IpAddr::from([192, 0, 2, 1]);
        assert!((0..20).all(|_| limiter.allow_connection(far, 20, now)));
        assert!(!limiter.allow_connection(far, 20, now));
        assert!(limiter.allow_connection(far, 20, now + Duration::from_secs(1)));
        let near = IpAddr::from([127, 0, 0, 1]);
        assert!((0..100).all(|_| limiter.allow_connection(near, 20, now)));
    }
}
