//! [`Access`]: who may use the server. Checks tokens, and the `Host` and `Origin` headers of
//! browsers.
// CITE: RFC 6454, "The Web Origin Concept"; DNS rebinding: https://crypto.stanford.edu/dns/dns-rebinding.pdf

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use data_encoding::BASE64URL_NOPAD;
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

    /// Makes a token of 256 random bits; `None` if the system has no random numbers.
    pub fn random() -> Option<Self> {
        Some(Self(random_secret()? + &random_secret()?))
    }

    /// Returns the text that clients show.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares with `other` in constant time, so that the time tells nothing about the token.
    fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

/// Returns 128 random bits as text; `None` if the system has no random numbers.
pub(crate) fn random_secret() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(BASE64URL_NOPAD.encode(&bytes))
}

/// Who may use the server.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The token that clients must show; `None` only if the server listens on loopback.
    pub token: Option<Token>,
    /// The origins of other web pages that may use the server.
    pub origins: Vec<String>,
    /// The host names of the server, in addition to its addresses and those of loopback.
    pub hosts: Vec<String>,
}

/// The address at which a client reached the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reached {
    /// `None` if the system does not tell it.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
}

/// The host names of loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Access {
    /// Refuses a request with an unknown host name. This prevents DNS rebinding. An address is
    /// known if it is the one at which the client `reached` the server.
    // CITE: RFC 9112, section 3.2: one `Host`; the host of an absolute address counts, too.
    pub(crate) fn check_host(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
        reached: Reached,
    ) -> Result<(), StatusCode> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(StatusCode::BAD_REQUEST);
        };
        let host = host.to_str().map_err(|_| StatusCode::BAD_REQUEST)?;
        let host: Authority = host.parse().map_err(|_| StatusCode::MISDIRECTED_REQUEST)?;
        let mut hosts = uri.authority().into_iter().chain([&host]);
        let is_known = hosts.all(|host| self.knows_host(host, reached));
        if is_known { Ok(()) } else { Err(StatusCode::MISDIRECTED_REQUEST) }
    }

    fn knows_host(&self, host: &Authority, reached: Reached) -> bool {
        let name = host.host();
        let is = |known: &str| known.eq_ignore_ascii_case(name) || *host == *known;
        // A browser never sends the name of a user.
        !host.as_str().contains('@')
            && (LOOPBACK.into_iter().any(is)
                || self.hosts.iter().any(|known| is(known))
                || reached.address.is_some_and(|address| address_of(name) == Some(address)))
    }

    /// Refuses a request with the `Origin` of another site. Programs other than browsers send no
    /// `Origin`.
    pub(crate) fn check_origin(
        &self,
        headers: &HeaderMap,
        reached: Reached,
    ) -> Result<(), StatusCode> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| StatusCode::FORBIDDEN)?;
        let is_allowed = self.is_own_page(origin, reached)
            || self.origins.iter().any(|known| {
                // Browsers write no slash at the end.
                known.trim_end_matches('/').eq_ignore_ascii_case(origin)
            });
        if is_allowed && origins.next().is_none() { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
    }

    /// Returns whether `origin` is a page of this server, at the port that the client `reached`.
    fn is_own_page(&self, origin: &str, reached: Reached) -> bool {
        let host = origin.strip_prefix("http://").and_then(|host| host.parse::<Authority>().ok());
        // Browsers leave out the usual port.
        host.is_some_and(|host| {
            host.port_u16().unwrap_or(80) == reached.port && self.knows_host(&host, reached)
        })
    }

    /// Returns whether the headers have the token, or the server needs none.
    // CITE: RFC 9110, section 11.1: the case of the scheme does not matter.
    pub(crate) fn shows_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let mut shown = headers.get_all(header::AUTHORIZATION).iter();
        let value = shown.next().and_then(|value| value.to_str().ok());
        let is_right =
            value.and_then(|value| value.trim().split_once(' ')).is_some_and(|(scheme, shown)| {
                scheme.eq_ignore_ascii_case("Bearer") && token.is(shown.trim())
            });
        is_right && shown.next().is_none()
    }

    /// Returns whether `text` is the token, or the server needs none.
    pub(crate) fn accepts(&self, text: Option<&str>) -> bool {
        self.token.as_ref().is_none_or(|token| text.is_some_and(|text| token.is(text)))
    }
}

/// Returns the address that a host without port is; `None` if it is a name.
fn address_of(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let address: IpAddr = inner.unwrap_or(name).parse().ok()?;
    Some(address.to_canonical())
}

/// Counts new connections of each address.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCounter {
    /// How many connections each address opened since an instant of the last second.
    counts: HashMap<IpAddr, (Instant, u32)>,
}

impl ConnectionCounter {
    /// Counts a connection. Returns whether the address opened more than `limit` in a second.
    pub(crate) fn is_flood(&mut self, address: IpAddr, limit: u32, now: Instant) -> bool {
        const SECOND: Duration = Duration::from_secs(1);
        if address.is_loopback() {
            return false;
        }
        self.counts.retain(|_, (since, _)| now.saturating_duration_since(*since) < SECOND);
        let (_, count) = self.counts.entry(address).or_insert((now, 0));
        *count += 1;
        *count > limit
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const REACHED: Reached =
        Reached { address: Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7))), port: 7878 };

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_our_own_page_and_allowed_origins_are_served() {
        let access = Access {
            origins: vec!["https://board.example/".to_owned()],
            hosts: vec!["engine.example".to_owned()],
            token: None,
        };
        let origin = |origin: &str| {
            access.check_origin(&headers(&[(header::ORIGIN, origin)]), REACHED).is_ok()
        };
        for good in [
            "http://192.0.2.7:7878",
            "HTTPS://board.example",
            "http://engine.example:7878",
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
            "http://192.0.2.8:7878",
            "http://192.0.2.7",
            "http://evil.example:7878",
        ] {
            assert!(!origin(bad), "{bad}");
        }
        assert!(access.check_origin(&HeaderMap::new(), REACHED).is_ok());
        let usual = Reached { port: 80, ..REACHED };
        let at_80 = |origin| access.check_origin(&headers(&[(header::ORIGIN, origin)]), usual);
        assert!(at_80("http://192.0.2.7").is_ok() && at_80("http://192.0.2.7:7878").is_err());
    }

    #[test]
    fn only_known_host_names_are_served() {
        let access = Access { hosts: vec!["engine.example".to_owned()], ..Access::default() };
        let check = |host: &str, address: &str| {
            access.check_host(&headers(&[(header::HOST, host)]), &address.parse().unwrap(), REACHED)
        };
        let host = |host: &str| check(host, "/").is_ok();
        for good in [
            "localhost:7878",
            "LOCALHOST",
            "127.0.0.1:7878",
            "[::1]:7878",
            "[::1]",
            "engine.example:80",
            "192.0.2.7:7878",
            "192.0.2.7",
            "[::ffff:192.0.2.7]:7878",
        ] {
            assert!(host(good), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example:7878",
            "[::2]:7878",
            "192.0.2.8:7878",
            "user@localhost",
            "",
            ":7878",
        ] {
            assert!(!host(bad), "{bad}");
        }
        assert_eq!(check("localhost", "http://localhost:7878/"), Ok(()));
        let other = check("localhost", "http://evil.example/");
        assert_eq!(other, Err(StatusCode::MISDIRECTED_REQUEST));
        let mut twice = headers(&[(header::HOST, "localhost")]);
        twice.append(header::HOST, "localhost".parse().unwrap());
        for bad in [HeaderMap::new(), twice] {
            let answer = access.check_host(&bad, &Uri::from_static("/"), REACHED);
            assert_eq!(answer, Err(StatusCode::BAD_REQUEST), "{bad:?}");
        }
    }

    #[test]
    fn the_case_of_the_scheme_does_not_matter() {
        let token = "0123456789abcdef0123456789abcdef";
        let access = Access { token: Some(Token(token.to_owned())), ..Access::default() };
        let shows = |value: &str| access.shows_token(&headers(&[(header::AUTHORIZATION, value)]));
        for scheme in ["Bearer ", "bearer ", "BEARER  "] {
            assert!(shows(&format!("{scheme}{token}")), "{scheme}");
        }
        for bad in ["Bearer", "Bearer ", "Basic 0123", "Bearer 0123", token] {
            assert!(!shows(bad), "{bad}");
        }
        assert!(!shows(&format!("Bearer{token}")) && !shows(&format!("Basic {token}")));
        assert!(!access.shows_token(&HeaderMap::new()));
    }

    #[test]
    fn the_connections_of_an_address_per_second_are_limited() {
        let (mut counter, now) = (ConnectionCounter::default(), Instant::now());
        let far = IpAddr::from([192, 0, 2, 1]);
        assert!(!(0..20).any(|_| counter.is_flood(far, 20, now)));
        assert!(counter.is_flood(far, 20, now));
        assert!(!counter.is_flood(far, 20, now + Duration::from_secs(1)));
        let near = IpAddr::from([127, 0, 0, 1]);
        assert!(!(0..100).any(|_| counter.is_flood(near, 20, now)));
    }
}
