import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bytes of a module that imports these names, minified and compressed. */
async function bytes(imports) {
  const { outputFiles } = await build({
    stdin: { contents: `${imports} from '@safelight/client'`, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

test('everything is under 3 kB, and a part is less', async () => {
  const all = await bytes('export *')
  const srcset = await bytes('export { srcset }')
  console.log(`everything ${all} bytes, srcset alone ${srcset}`)
  assert.ok(all < 3000, `${all} bytes`)
  assert.ok(srcset < 800, `${srcset} bytes: it is not tree-shaken`)
})
