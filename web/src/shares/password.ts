// Letters and digits that nobody confuses when a password is read aloud or typed from paper.
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** A random password in three groups of five letters, 74 bits: `k7mnp-2wxyz-h4jkq`. */
export function newPassword(): string {
  const groups: string[] = [];
  for (let i = 0; i < 3; i++) groups.push(randomText(5));
  return groups.join("-");
}

function randomText(length: number): string {
  let text = "";
  const bytes = new Uint8Array(1);
  while (text.length < length) {
    crypto.getRandomValues(bytes);
    // Larger values would favor the first letters (modulo bias).
    if (bytes[0]! < 256 - (256 % letters.length))
      text += letters[bytes[0]! % letters.length];
  }
  return text;
}
