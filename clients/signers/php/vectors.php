<?php

// Answers the lines of ../signers_test.go.
declare(strict_types=1);

require __DIR__ . '/Safelight.php';

while (($line = fgets(STDIN)) !== false) {
    [$what, $f] = [strtok($line, "\t"), array_slice(explode("\t", rtrim($line, "\n")), 1)];
    echo match ($what) {
        'sign' => Safelight::sign($f[3], $f[0], $f[1], (int) $f[2]),
        'url' => Safelight::signedUrl($f[3], $f[0], $f[1], (int) $f[2]),
        'family' => Safelight::family($f[3], $f[4], $f[0], $f[1], (int) $f[2]),
        'choice' => Safelight::familyUrl($f[0], (int) $f[1] ?: null, (float) $f[2] ?: null, $f[3] ?: null, $f[4] ?: null),
        'encrypt' => Safelight::encryptPath($f[2], $f[0], hex2bin($f[1])),
        'image' => Safelight::encodeImage($f[0]),
    }, "\n";
}
