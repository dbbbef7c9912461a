// Writes NAME.gz beside every file of dist, and NAME.br if it is smaller, for only these are embedded, and fails when the first view is over its budget.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((f) => statSync(new URL(f, dist)).isFile()).sort()
for (const file of files) {
  if (/\.(br|gz)$/.test(file)) {
    rmSync(new URL(file, dist))
    continue
  }
  const data = readFileSync(new URL(file, dist))
  const packed = {
    br: brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }),
    gz: gzipSync(data, { level: 9 }),
  }
  for (const [ending, bytes] of Object.entries(packed)) {
    if (ending === 'gz' || bytes.length < data.length) writeFileSync(new URL(`${file}.${ending}`, dist), bytes)
  }
  console.log(`${String(data.length).padStart(8)} ${String(packed.br.length).padStart(7)} br  ${file}`)
}
