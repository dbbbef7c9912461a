// Answers the lines of ../signers_test.go.
import { createInterface } from 'node:readline'

const { encodeImage, encryptPath, family, familyUrl, sign, signedUrl } = await import(process.argv[2])

for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...f] = line.split('\t')
  const answers = {
    sign: () => sign(f[3], f[0], f[1], Number(f[2])),
    url: () => signedUrl(f[3], f[0], f[1], Number(f[2])),
    family: () => family(f[3], f[4], f[0], f[1], Number(f[2])),
    choice: () => familyUrl(f[0], { width: Number(f[1]), density: Number(f[2]), format: f[3], quality: f[4] }),
    encrypt: () => encryptPath(f[2], f[0], Buffer.from(f[1], 'hex')),
    image: () => encodeImage(f[0]),
  }
  console.log(answers[what]())
}
