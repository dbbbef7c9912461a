# frozen_string_literal: true

require "base64"
require "openssl"

# Signs URLs of a Safelight image server. Copy the file: it needs the standard library only.
module Safelight
  ALGORITHMS = %w[SHA1 SHA256 SHA512].freeze

  module_function

  # Returns the signature of a path: operations and image, as the URL has them. truncate is how many characters are kept, 0 all.
  def sign(path, secret, algorithm: "SHA1", truncate: 0)
    raise ArgumentError, "the algorithm is #{algorithm}, expected SHA1, SHA256 or SHA512" unless ALGORITHMS.include?(algorithm)

    signature = Base64.urlsafe_encode64(OpenSSL::HMAC.digest(algorithm, secret, path))
    truncate.positive? ? signature[0, truncate] : signature
  end

  # Returns the signed URL of a path, without the server.
  def signed_url(path, secret, **how)
    "/#{sign(path, secret, **how)}/#{path}"
  end

  # Signs what a policy leaves open, such as "320w,640w,webp", and returns the template for browsers. The secret is the
  # processor's, or that of the key that the policy names.
  def family(policy, path, secret, **how)
    "/#{sign("family(#{policy})/#{path}", secret, **how)}/family(#{policy})/{choice}/#{path}"
  end

  # Returns one URL of a template: one value of each dimension, what is left out is as the operations say.
  def family_url(template, width: nil, density: nil, format: nil, quality: nil)
    ratio = density && (density.to_i == density ? density.to_i : density)
    tokens = [width && "#{width}w", ratio && "#{ratio}x", format, quality].compact
    template.sub("{choice}") { tokens.empty? ? "-" : tokens.join(",") }
  end

  # Returns an image that only the server can read. The same path gives the same image. The key has 64 bytes: 32 for
  # AES-256-CTR, 32 for HMAC-SHA256.
  def encrypt_path(path, key_id, key)
    raise ArgumentError, "the key has #{key.bytesize} bytes, expected 64" unless key.bytesize == 64

    cipher = OpenSSL::Cipher.new("aes-256-ctr").encrypt
    cipher.key = key.byteslice(0, 32)
    cipher.iv = iv = OpenSSL::HMAC.digest("SHA256", key.byteslice(32, 32), path).byteslice(0, 16)
    "enc:#{key_id}:#{Base64.urlsafe_encode64(iv + cipher.update(path) + cipher.final, padding: false)}"
  end

  GRAMMAR = /\A(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?|
    (adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}|
    -?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?)\z/mx

  # Returns an image's path as a URL has it: percent-encoded, and never taken for an operation.
  def encode_image(image)
    encoded = image.b.gsub(%r{[^A-Za-z0-9\-_.~/:@!$&'()*,;=]}n) { |c| format("%%%02X", c.ord) }.force_encoding("UTF-8")
    encoded = encoded.sub(/\A(b64|enc|filters):/, '\1%3A').sub(/\Afamily\(/, "family%28")
    first, slash, = image.partition("/")
    !slash.empty? && GRAMMAR.match?(first) ? encoded.sub("/", "%2F") : encoded
  end
end
