using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

/// <summary>Answers the lines of ../signers_test.go.</summary>
public static class Vectors
{
    public static void Main()
    {
        var utf8 = new UTF8Encoding(false);
        var input = new StreamReader(Console.OpenStandardInput(), utf8);
        var output = new StreamWriter(Console.OpenStandardOutput(), utf8) { NewLine = "\n", AutoFlush = true };
        for (string line; (line = input.ReadLine()) != null;) output.WriteLine(Answer(line.Split('\t')));
    }

    private static string Answer(string[] f)
    {
        switch (f[0])
        {
            case "sign": return new Safelight(f[1], f[2], int.Parse(f[3])).Sign(f[4]);
            case "url": return new Safelight(f[1], f[2], int.Parse(f[3])).Url(f[4]);
            case "family": return new Safelight(f[1], f[2], int.Parse(f[3])).Family(f[4], f[5]);
            case "choice":
                return Safelight.FamilyUrl(f[1], f[2] == "" ? (int?)null : int.Parse(f[2]),
                    f[3] == "" ? (double?)null : double.Parse(f[3], CultureInfo.InvariantCulture), f[4] == "" ? null : f[4], f[5] == "" ? null : f[5]);
            case "encrypt":
                return Safelight.EncryptPath(f[3], f[1], Enumerable.Range(0, f[2].Length / 2).Select(i => Convert.ToByte(f[2].Substring(2 * i, 2), 16)).ToArray());
            default: return Safelight.EncodeImage(f[1]);
        }
    }
}
