import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Signs URLs of a Safelight image server. Copy the file: it needs Java 11 only. */
public final class Safelight {
    private final String secret;
    private final String algorithm;
    private final int truncate;

    /** Takes the processor settings: algorithm is SHA1, SHA256 or SHA512, truncate how many characters are kept, 0 all. */
    public Safelight(String secret, String algorithm, int truncate) {
        if (!List.of("SHA1", "SHA256", "SHA512").contains(algorithm)) {
            throw new IllegalArgumentException("the algorithm is " + algorithm + ", expected SHA1, SHA256 or SHA512");
        }
        this.secret = secret;
        this.algorithm = algorithm;
        this.truncate = truncate;
    }

    /** Returns the signature of a path: operations and image, as the URL has them. */
    public String sign(String path) {
        String signature = Base64.getUrlEncoder().encodeToString(hmac("Hmac" + algorithm, utf8(secret), utf8(path)));
        return truncate > 0 ? signature.substring(0, truncate) : signature;
    }

    /** Returns the signed URL of a path, without the server. */
    public String url(String path) {
        return "/" + sign(path) + "/" + path;
    }

    /**
     * Signs what a policy leaves open, such as 320w,640w,webp, and returns the template for browsers. The secret is the
     * processor's, or that of the key that the policy names.
     */
    public String family(String policy, String path) {
        return "/" + sign("family(" + policy + ")/" + path) + "/family(" + policy + ")/{choice}/" + path;
    }

    /** Returns one URL of a template: one value of each dimension; 0 and null are as the operations say. */
    public static String familyUrl(String template, int width, double density, String format, String quality) {
        List<String> tokens = new ArrayList<>();
        if (width > 0) tokens.add(width + "w");
        if (density > 0) tokens.add(String.format(Locale.ROOT, "%.2f", density).replaceAll("\\.?0+$", "") + "x");
        if (format != null) tokens.add(format);
        if (quality != null) tokens.add(quality);
        return template.replace("{choice}", tokens.isEmpty() ? "-" : String.join(",", tokens));
    }

    /**
     * Returns an image that only the server can read. The same path gives the same image. The key has 64 bytes: 32 for
     * AES-256-CTR, 32 for HMAC-SHA256.
     */
    public static String encryptPath(String path, String keyId, byte[] key) {
        if (key.length != 64) throw new IllegalArgumentException("the key has " + key.length + " bytes, expected 64");
        byte[] data = utf8(path);
        byte[] iv = Arrays.copyOf(hmac("HmacSHA256", Arrays.copyOfRange(key, 32, 64), data), 16);
        byte[] sealed = Arrays.copyOf(iv, 16 + data.length);
        try {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 0, 32, "AES"), new IvParameterSpec(iv));
            cipher.doFinal(data, 0, data.length, sealed, 16);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return "enc:" + keyId + ":" + Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    }

    private static final Pattern GRAMMAR = Pattern.compile(
        "|params|unsafe|debug|meta|stretch|left|center|right|top|middle|bottom|smart|trim(:top-left|:bottom-right)?(:\\d+)?"
            + "|(adaptive-)?(full-)?fit-in|(filters:|preset\\().*|[\\w=-]{17,}"
            + "|-?(\\d*|orig|f(ull)?(-?\\d+)?|[\\d.]+p)x-?(\\d*|orig|f(ull)?(-?\\d+)?|[\\d.]+p)|[\\d.]*x[\\d.]*(:[\\d.]*x[\\d.]*)?",
        Pattern.DOTALL);

    /** Returns an image's path as a URL has it: percent-encoded, and never taken for an operation. */
    public static String encodeImage(String image) {
        StringBuilder b = new StringBuilder();
        for (byte c : utf8(image)) {
            if (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 0 && "-_.~/:@!$&'()*,;=".indexOf(c) >= 0) {
                b.append((char) c);
            } else {
                b.append(String.format("%%%02X", c));
            }
        }
        String encoded = b.toString().replaceFirst("^(b64|enc|filters):", "$1%3A").replaceFirst("^family\\(", "family%28");
        int slash = image.indexOf('/');
        return slash >= 0 && GRAMMAR.matcher(image.substring(0, slash)).matches() ? encoded.replaceFirst("/", "%2F") : encoded;
    }

    private static byte[] hmac(String algorithm, byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] utf8(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }
}
