"""Answers the lines of ../signers_test.go."""

import sys

import safelight

for line in sys.stdin.buffer:
    what, *f = line.decode().rstrip("\n").split("\t")
    if what == "sign":
        answer = safelight.sign(f[3], f[0], f[1], int(f[2]))
    elif what == "url":
        answer = safelight.signed_url(f[3], f[0], f[1], int(f[2]))
    elif what == "family":
        answer = safelight.family(f[3], f[4], f[0], f[1], int(f[2]))
    elif what == "choice":
        answer = safelight.family_url(f[0], f[1] and int(f[1]), f[2] and float(f[2]), f[3], f[4])
    elif what == "encrypt":
        answer = safelight.encrypt_path(f[2], f[0], bytes.fromhex(f[1]))
    else:
        answer = safelight.encode_image(f[0])
    sys.stdout.buffer.write(answer.encode() + b"\n")
