import { readFileSync } from 'node:fs'
import express from 'express'
import { imageHtml } from '@safelight/client/html'

// on a site of your own: await fetchFamilies(...) of @safelight/client/server
const pictures = JSON.parse(readFileSync('pictures.json', 'utf8'))

const page = () => `<!doctype html>
<html lang="en">
  <title>Families in Express</title>
  <main style="display: grid; grid-template-columns: repeat(auto-fill, 300px); gap: 10px">
    ${pictures.map(({ template, ...picture }) => imageHtml({ family: template, ...picture })).join('\n    ')}
  </main>
</html>`

express()
  .get('/', (request, response) => response.type('html').send(page()))
  .listen(Number(process.env.PORT), process.env.HOST)
