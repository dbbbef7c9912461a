// Lists what clients of an older schema would lose with a newer one: node breaking.mjs OLD NEW, files of SDL.
// Fails when there is something. Dangerous changes, such as new enum values, are listed only.
import { readFileSync } from 'node:fs'
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql'

const [older, newer] = process.argv.slice(2).map((file) => buildSchema(readFileSync(file, 'utf8')))
const breaking = findBreakingChanges(older, newer)
for (const change of findDangerousChanges(older, newer)) console.log(`dangerous: ${change.description}`)
for (const change of breaking) console.log(`breaking: ${change.description}`)
console.log(`${breaking.length} breaking changes`)
process.exit(breaking.length ? 1 : 0)
