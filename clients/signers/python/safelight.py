"""Signs URLs of a Safelight image server. Copy the file: it needs the standard library only, but for encrypt_path,
which needs the package cryptography, for Python has no AES."""

import base64
import hashlib
import hmac
import re
from urllib.parse import quote


def sign(path, secret, algorithm="SHA1", truncate=0):
    """Returns the signature of a path: operations and image, as the URL has them. truncate is how many characters are kept, 0 all."""
    if algorithm not in ("SHA1", "SHA256", "SHA512"):
        raise ValueError(f"the algorithm is {algorithm!r}, expected SHA1, SHA256 or SHA512")
    digest = hmac.new(secret.encode(), path.encode(), getattr(hashlib, algorithm.lower())).digest()
    signature = base64.urlsafe_b64encode(digest).decode()
    return signature[:truncate] if truncate else signature


def signed_url(path, secret, algorithm="SHA1", truncate=0):
    """Returns the signed URL of a path, without the server."""
    return f"/{sign(path, secret, algorithm, truncate)}/{path}"


def family(policy, path, secret, algorithm="SHA1", truncate=0):
    """Signs what a policy leaves open, such as "320w,640w,webp", and returns the template for browsers.

    The secret is the processor's, or that of the key that the policy names."""
    signature = sign(f"family({policy})/{path}", secret, algorithm, truncate)
    return f"/{signature}/family({policy})/{{choice}}/{path}"


def family_url(template, width=None, density=None, format=None, quality=None):
    """Returns one URL of a template: one value of each dimension, what is left out is as the operations say."""
    tokens = [f"{width}w" if width else None, f"{density:g}x" if density else None, format, quality]
    return template.replace("{choice}", ",".join(t for t in tokens if t) or "-", 1)


def encrypt_path(path, key_id, key):
    """Returns an image that only the server can read. The same path gives the same image.

    The key has 64 bytes: 32 for AES-256-CTR, 32 for HMAC-SHA256."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if len(key) != 64:
        raise ValueError(f"the key has {len(key)} bytes, expected 64")
    data = path.encode()
    iv = hmac.new(key[32:], data, hashlib.sha256).digest()[:16]
    encryptor = Cipher(algorithms.AES(key[:32]), modes.CTR(iv)).encryptor()
    sealed = iv + encryptor.update(data) + encryptor.finalize()
    return f"enc:{key_id}:" + base64.urlsafe_b64encode(sealed).decode().rstrip("=")


_GRAMMAR = re.compile(
    r"|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?"
    r"|(adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}"
    r"|-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?",
    re.ASCII | re.DOTALL,
)


def encode_image(image):
    """Returns an image's path as a URL has it: percent-encoded, and never taken for an operation."""
    first, slash, _ = image.partition("/")
    encoded = re.sub(r"^(b64|enc|filters):", r"\1%3A", quote(image, safe="-_.~/:@!$&'()*,;="))
    encoded = re.sub(r"^family\(", "family%28", encoded)
    return encoded.replace("/", "%2F", 1) if slash and _GRAMMAR.fullmatch(first) else encoded
