import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Answers the lines of ../signers_test.go. */
final class Vectors {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; ) {
            String[] f = line.split("\t", -1);
            out.println(answer(f));
        }
    }

    private static String answer(String[] f) {
        switch (f[0]) {
            case "sign": return new Safelight(f[1], f[2], Integer.parseInt(f[3])).sign(f[4]);
            case "url": return new Safelight(f[1], f[2], Integer.parseInt(f[3])).url(f[4]);
            case "family": return new Safelight(f[1], f[2], Integer.parseInt(f[3])).family(f[4], f[5]);
            case "choice": return Safelight.familyUrl(f[1], f[2].isEmpty() ? 0 : Integer.parseInt(f[2]),
                f[3].isEmpty() ? 0 : Double.parseDouble(f[3]), given(f[4]), given(f[5]));
            case "encrypt": return Safelight.encryptPath(f[3], f[1], bytes(f[2]));
            default: return Safelight.encodeImage(f[1]);
        }
    }

    private static String given(String s) {
        return s.isEmpty() ? null : s;
    }

    private static byte[] bytes(String hex) {
        byte[] b = new byte[hex.length() / 2];
        for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return b;
    }
}
