// Puts what the server renders into the page that the browser then hydrates.
import { readFileSync, writeFileSync } from 'node:fs'
import { html } from './dist/server/server.js'

const page = 'dist/client/index.html'
const body = await html()
writeFileSync(page, readFileSync(page, 'utf8').replace('<!--app-->', () => body))
