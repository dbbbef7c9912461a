<?php

declare(strict_types=1);

/** Signs URLs of a Safelight image server. Copy the file: it needs PHP 8 with OpenSSL only. */
final class Safelight
{
    /** Returns the signature of a path: operations and image, as the URL has them. $truncate is how many characters are kept, 0 all. */
    public static function sign(string $path, string $secret, string $algorithm = 'SHA1', int $truncate = 0): string
    {
        if (!in_array($algorithm, ['SHA1', 'SHA256', 'SHA512'], true)) {
            throw new InvalidArgumentException("the algorithm is $algorithm, expected SHA1, SHA256 or SHA512");
        }
        $signature = strtr(base64_encode(hash_hmac(strtolower($algorithm), $path, $secret, true)), '+/', '-_');
        return $truncate > 0 ? substr($signature, 0, $truncate) : $signature;
    }

    /** Returns the signed URL of a path, without the server. */
    public static function signedUrl(string $path, string $secret, string $algorithm = 'SHA1', int $truncate = 0): string
    {
        return '/' . self::sign($path, $secret, $algorithm, $truncate) . '/' . $path;
    }

    /**
     * Signs what a policy leaves open, such as 320w,640w,webp, and returns the template for browsers. The secret is the
     * processor's, or that of the key that the policy names.
     */
    public static function family(string $policy, string $path, string $secret, string $algorithm = 'SHA1', int $truncate = 0): string
    {
        $signature = self::sign("family($policy)/$path", $secret, $algorithm, $truncate);
        return "/$signature/family($policy)/{choice}/$path";
    }

    /** Returns one URL of a template: one value of each dimension, what is null is as the operations say. */
    public static function familyUrl(string $template, ?int $width = null, ?float $density = null, ?string $format = null, ?string $quality = null): string
    {
        $tokens = array_filter([$width ? $width . 'w' : null, $density ? $density . 'x' : null, $format, $quality]);
        return str_replace('{choice}', implode(',', $tokens) ?: '-', $template);
    }

    /**
     * Returns an image that only the server can read. The same path gives the same image. The key has 64 bytes: 32 for
     * AES-256-CTR, 32 for HMAC-SHA256.
     */
    public static function encryptPath(string $path, string $keyId, string $key): string
    {
        if (strlen($key) !== 64) {
            throw new InvalidArgumentException('the key has ' . strlen($key) . ' bytes, expected 64');
        }
        $iv = substr(hash_hmac('sha256', $path, substr($key, 32), true), 0, 16);
        $sealed = $iv . openssl_encrypt($path, 'aes-256-ctr', substr($key, 0, 32), OPENSSL_RAW_DATA, $iv);
        return "enc:$keyId:" . rtrim(strtr(base64_encode($sealed), '+/', '-_'), '=');
    }

    private const GRAMMAR = '~^(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?|'
        . '(adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}|'
        . '-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?)$~Ds';

    /** Returns an image's path as a URL has it: percent-encoded, and never taken for an operation. */
    public static function encodeImage(string $image): string
    {
        $plain = ['%2F' => '/', '%3A' => ':', '%40' => '@', '%21' => '!', '%24' => '$', '%26' => '&', '%27' => "'", '%28' => '(', '%29' => ')',
            '%2A' => '*', '%2C' => ',', '%3B' => ';', '%3D' => '='];
        $encoded = preg_replace(['~^(b64|enc|filters):~', '~^family\(~'], ['$1%3A', 'family%28'], strtr(rawurlencode($image), $plain));
        $slash = strpos($image, '/');
        if ($slash === false || !preg_match(self::GRAMMAR, substr($image, 0, $slash))) {
            return $encoded;
        }
        return preg_replace('~/~', '%2F', $encoded, 1);
    }
}
