//! Answers the lines of ../../signers_test.go.
use safelight::{encode_image, encrypt_path, family_url, Algorithm, Choice, Signer};
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line of UTF-8");
        let f: Vec<&str> = line.split('\t').collect();
        let signer = |secret, algorithm, truncate: &str| Signer {
            secret,
            algorithm: match algorithm {
                "SHA1" => Algorithm::Sha1,
                "SHA256" => Algorithm::Sha256,
                _ => Algorithm::Sha512,
            },
            truncate: truncate.parse().expect("a number"),
        };
        println!("{}", match f[0] {
            "sign" => signer(f[1], f[2], f[3]).sign(f[4]),
            "url" => signer(f[1], f[2], f[3]).url(f[4]),
            "family" => signer(f[1], f[2], f[3]).family(f[4], f[5]),
            "choice" => family_url(f[1], &Choice {
                width: f[2].parse().ok(),
                density: f[3].parse().ok(),
                format: Some(f[4]).filter(|s| !s.is_empty()),
                quality: Some(f[5]).filter(|s| !s.is_empty()),
            }),
            "encrypt" => {
                let key: Vec<u8> = (0..f[2].len()).step_by(2).map(|i| u8::from_str_radix(&f[2][i..i + 2], 16).expect("hex")).collect();
                encrypt_path(f[3], f[1], &key.try_into().expect("64 bytes"))
            }
            "image" => encode_image(f[1]),
            other => panic!("{other}"),
        });
    }
}
