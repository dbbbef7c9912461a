//! Signs URLs of a Safelight image server. Copy the file: it needs the crates aes 0.6, hmac 0.12, sha1 0.10 and sha2 0.10, for Rust's
//! standard library has neither hashes nor ciphers.

use aes::cipher::{generic_array::GenericArray, BlockCipher, NewBlockCipher};
use hmac::{Hmac, Mac};

/// The hash of the processor settings.
#[derive(Clone, Copy)]
pub enum Algorithm {
    Sha1,
    Sha256,
    Sha512,
}

/// The processor settings. `truncate` is how many characters of a signature are kept, 0 all.
pub struct Signer<'a> {
    pub secret: &'a str,
    pub algorithm: Algorithm,
    pub truncate: usize,
}

impl Signer<'_> {
    /// Returns the signature of a path: operations and image, as the URL has them.
    pub fn sign(&self, path: &str) -> String {
        let (key, data) = (self.secret.as_bytes(), path.as_bytes());
        let mut signature = base64url(&match self.algorithm {
            Algorithm::Sha1 => mac::<Hmac<sha1::Sha1>>(key, data),
            Algorithm::Sha256 => mac::<Hmac<sha2::Sha256>>(key, data),
            Algorithm::Sha512 => mac::<Hmac<sha2::Sha512>>(key, data),
        });
        if self.truncate > 0 {
            signature.truncate(self.truncate);
        }
        signature
    }

    /// Returns the signed URL of a path, without the server.
    pub fn url(&self, path: &str) -> String {
        format!("/{}/{}", self.sign(path), path)
    }

    /// Signs what a policy leaves open, such as `320w,640w,webp`, and returns the template for browsers. The secret is the
    /// processor's, or that of the key that the policy names.
    pub fn family(&self, policy: &str, path: &str) -> String {
        let signature = self.sign(&format!("family({policy})/{path}"));
        format!("/{signature}/family({policy})/{{choice}}/{path}")
    }
}

/// One value of each dimension of a family; what is None is as its operations say.
#[derive(Default)]
pub struct Choice<'a> {
    pub width: Option<u32>,
    pub density: Option<f64>,
    pub format: Option<&'a str>,
    pub quality: Option<&'a str>,
}

/// Returns one URL of a template.
pub fn family_url(template: &str, choice: &Choice) -> String {
    let tokens: Vec<String> = [
        choice.width.map(|w| format!("{w}w")),
        choice.density.map(|d| format!("{d}x")),
        choice.format.map(str::to_string),
        choice.quality.map(str::to_string),
    ]
    .into_iter()
    .flatten()
    .collect();
    let text = if tokens.is_empty() { "-".to_string() } else { tokens.join(",") };
    template.replacen("{choice}", &text, 1)
}

/// Returns an image that only the server can read. The same path gives the same image. The key is 32 bytes for AES-256-CTR, then
/// 32 for HMAC-SHA256.
pub fn encrypt_path(path: &str, key_id: &str, key: &[u8; 64]) -> String {
    let iv = mac::<Hmac<sha2::Sha256>>(&key[32..], path.as_bytes())[..16].to_vec();
    let cipher = aes::Aes256::new(GenericArray::from_slice(&key[..32]));
    let mut counter = u128::from_be_bytes(iv.clone().try_into().expect("16 bytes"));
    let mut sealed = iv;
    for part in path.as_bytes().chunks(16) {
        let mut pad = GenericArray::from(counter.to_be_bytes());
        cipher.encrypt_block(&mut pad);
        sealed.extend(part.iter().zip(pad.iter()).map(|(a, b)| a ^ b));
        counter = counter.wrapping_add(1);
    }
    format!("enc:{key_id}:{}", base64url(&sealed).trim_end_matches('='))
}

/// Returns an image's path as a URL has it: percent-encoded, and never taken for an operation.
pub fn encode_image(image: &str) -> String {
    let mut encoded = String::new();
    for &c in image.as_bytes() {
        if c.is_ascii_alphanumeric() || b"-_.~/:@!$&'()*,;=".contains(&c) {
            encoded.push(c as char);
        } else {
            encoded.push_str(&format!("%{c:02X}"));
        }
    }
    for prefix in ["b64", "enc", "filters"] {
        if let Some(rest) = encoded.strip_prefix(prefix).and_then(|r| r.strip_prefix(':')) {
            encoded = format!("{prefix}%3A{rest}");
            break;
        }
    }
    if let Some(rest) = encoded.strip_prefix("family(") {
        encoded = format!("family%28{rest}");
    }
    match image.split_once('/') {
        Some((first, _)) if is_grammar(first) => encoded.replacen('/', "%2F", 1),
        _ => encoded,
    }
}

/// Reports whether a first folder would be read as a part of the grammar.
fn is_grammar(s: &str) -> bool {
    const WORDS: [&str; 17] = [
        "", "params", "unsafe", "debug", "meta", "stretch", "left", "center", "right", "top", "middle", "bottom", "smart", "fit-in",
        "adaptive-fit-in", "full-fit-in", "adaptive-full-fit-in",
    ];
    let digits = |s: &str| s.bytes().all(|c| c.is_ascii_digit());
    let decimals = |s: &str| s.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let pair = |s: &str| s.split_once('x').map_or(false, |(a, b)| decimals(a) && decimals(b));
    let side = |s: &str| {
        let s = s.strip_prefix('-').unwrap_or(s);
        let full = s.strip_prefix("full").or_else(|| s.strip_prefix('f'));
        let percent = s.strip_suffix('p').map_or(false, |n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        percent || digits(s) || s == "orig" || full.map_or(false, |less| less.is_empty() || digits(less) || less.strip_prefix('-').map_or(false, digits))
    };
    let trim = |s: &str| {
        let s = s.strip_prefix(":top-left").or_else(|| s.strip_prefix(":bottom-right")).unwrap_or(s);
        s.is_empty() || s.strip_prefix(':').map_or(false, |n| !n.is_empty() && digits(n))
    };
    WORDS.contains(&s)
        || s.strip_prefix("trim").map_or(false, trim)
        || ["filters:", "preset("].iter().any(|p| s.starts_with(p))
        || s.len() >= 17 && s.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_=".contains(&c))
        || s.split_once('x').map_or(false, |(w, h)| side(w) && side(h))
        || pair(s)
        || s.split_once(':').map_or(false, |(from, to)| pair(from) && pair(to))
}

fn mac<M: Mac + hmac::digest::KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut mac = <M as hmac::digest::KeyInit>::new_from_slice(key).expect("an HMAC takes keys of any length");
    mac.update(data);
    mac.finalize().into_bytes().to_vec()
}

fn base64url(data: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for part in data.chunks(3) {
        let n = part.iter().fold(0u32, |n, &b| n << 8 | b as u32) << (8 * (3 - part.len()));
        for i in 0..4 {
            text.push(if i > part.len() { '=' } else { ALPHABET[(n >> (18 - 6 * i) & 63) as usize] as char });
        }
    }
    text
}
