import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A module that imports these names, bundled. */
async function bundle(imports) {
  const { outputFiles } = await build({
    stdin: { contents: `${imports} from '@safelight/client'`, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
  })
  return outputFiles[0].text
}

test('a page that imports srcset alone does not load the decoder of ThumbHashes', async () => {
  assert.ok((await bundle('export *')).includes('IHDR'))
  assert.ok(!(await bundle('export { srcset }')).includes('IHDR'), 'it is not tree-shaken')
})
