using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>Signs URLs of a Safelight image server. Copy the file: it needs .NET or Mono only.</summary>
public sealed class Safelight
{
    private readonly string secret;
    private readonly string algorithm;
    private readonly int truncate;

    /// <summary>Takes the processor settings: algorithm is SHA1, SHA256 or SHA512, truncate how many characters are kept, 0 all.</summary>
    public Safelight(string secret, string algorithm = "SHA1", int truncate = 0)
    {
        if (!new[] { "SHA1", "SHA256", "SHA512" }.Contains(algorithm))
            throw new ArgumentException("the algorithm is " + algorithm + ", expected SHA1, SHA256 or SHA512");
        this.secret = secret;
        this.algorithm = algorithm;
        this.truncate = truncate;
    }

    /// <summary>Returns the signature of a path: operations and image, as the URL has them.</summary>
    public string Sign(string path)
    {
        var key = Encoding.UTF8.GetBytes(secret);
        using (HMAC mac = algorithm == "SHA512" ? new HMACSHA512(key) : algorithm == "SHA256" ? (HMAC)new HMACSHA256(key) : new HMACSHA1(key))
        {
            var signature = Base64(mac.ComputeHash(Encoding.UTF8.GetBytes(path)));
            return truncate > 0 ? signature.Substring(0, truncate) : signature;
        }
    }

    /// <summary>Returns the signed URL of a path, without the server.</summary>
    public string Url(string path) { return "/" + Sign(path) + "/" + path; }

    /// <summary>
    /// Signs what a policy leaves open, such as 320w,640w,webp, and returns the template for browsers. The secret is the
    /// processor's, or that of the key that the policy names.
    /// </summary>
    public string Family(string policy, string path)
    {
        return "/" + Sign("family(" + policy + ")/" + path) + "/family(" + policy + ")/{choice}/" + path;
    }

    /// <summary>Returns one URL of a template: one value of each dimension, what is null is as the operations say.</summary>
    public static string FamilyUrl(string template, int? width = null, double? density = null, string format = null, string quality = null)
    {
        var tokens = new List<string>();
        if (width != null) tokens.Add(width + "w");
        if (density != null) tokens.Add(density.Value.ToString("0.##", CultureInfo.InvariantCulture) + "x");
        if (format != null) tokens.Add(format);
        if (quality != null) tokens.Add(quality);
        return template.Replace("{choice}", tokens.Count == 0 ? "-" : string.Join(",", tokens));
    }

    /// <summary>
    /// Returns an image that only the server can read. The same path gives the same image. The key has 64 bytes: 32 for
    /// AES-256-CTR, 32 for HMAC-SHA256.
    /// </summary>
    public static string EncryptPath(string path, string keyId, byte[] key)
    {
        if (key.Length != 64) throw new ArgumentException("the key has " + key.Length + " bytes, expected 64");
        var data = Encoding.UTF8.GetBytes(path);
        byte[] iv;
        using (var mac = new HMACSHA256(key.Skip(32).ToArray())) iv = mac.ComputeHash(data).Take(16).ToArray();
        using (var aes = Aes.Create())
        {
            // .NET has no CTR: a counter that is encrypted block by block, from the highest byte
            aes.Mode = CipherMode.ECB;
            aes.Padding = PaddingMode.None;
            aes.Key = key.Take(32).ToArray();
            var counter = (byte[])iv.Clone();
            using (var block = aes.CreateEncryptor())
            {
                for (var at = 0; at < data.Length; at += 16)
                {
                    var pad = block.TransformFinalBlock(counter, 0, 16);
                    for (var i = 0; i < 16 && at + i < data.Length; i++) data[at + i] ^= pad[i];
                    for (var i = 15; i >= 0 && ++counter[i] == 0; i--) { }
                }
            }
        }
        return "enc:" + keyId + ":" + Base64(iv.Concat(data).ToArray()).TrimEnd('=');
    }

    private static readonly Regex Grammar = new Regex(
        @"^(|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\d+)?|"
        + @"(adaptive-)?(full-)?fit-in|(filters:|preset\().*|[\w=-]{17,}|"
        + @"-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)x-?(\d*|orig|f(ull)?(-?\d+)?|[\d.]+p)|[\d.]*x[\d.]*(:[\d.]*x[\d.]*)?)\z",
        RegexOptions.ECMAScript);

    /// <summary>Returns an image's path as a URL has it: percent-encoded, and never taken for an operation.</summary>
    public static string EncodeImage(string image)
    {
        var b = new StringBuilder();
        foreach (var c in Encoding.UTF8.GetBytes(image))
        {
            if (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || "-_.~/:@!$&'()*,;=".IndexOf((char)c) >= 0) b.Append((char)c);
            else b.Append('%').Append(c.ToString("X2"));
        }
        var encoded = Regex.Replace(Regex.Replace(b.ToString(), "^(b64|enc|filters):", "$1%3A"), @"^family\(", "family%28");
        var slash = image.IndexOf('/');
        return slash >= 0 && Grammar.IsMatch(image.Substring(0, slash)) ? new Regex("/").Replace(encoded, "%2F", 1) : encoded;
    }

    private static string Base64(byte[] data) { return Convert.ToBase64String(data).Replace('+', '-').Replace('/', '_'); }
}
