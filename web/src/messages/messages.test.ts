import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fill, languages } from './index.svelte'

type Message = string | Record<string, string>
const read = (language: string) => JSON.parse(readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8')) as Record<string, Message>
const english = read('en')
const forms = (message: Message) => (typeof message === 'string' ? [message] : Object.values(message))
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()

describe.each(Object.keys(languages))('%s', (language) => {
  const catalogue = read(language)
  test('has every message and no other', () => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(english).sort())
  })
  test('fills the same places, and has the plural forms that the language has', () => {
    const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const [key, message] of Object.entries(catalogue)) {
      expect(typeof message, key).toBe(typeof english[key])
      for (const form of forms(message)) {
        expect(form, key).not.toBe('')
        expect(places(form), key).toEqual(places(forms(english[key]!).at(-1)!))
      }
      if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual([...plurals].sort())
    }
  })
})

test('every message is used, and every used one is there', () => {
  const source = readdirSync(new URL('..', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes('.test.') && !file.startsWith('api/gen'))
    .map((file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
    .join('\n')
  // Keys may be made of a fixed beginning and a name: t(`sort.${name}`).
  const made = [...source.matchAll(/`([a-z]\w*(?:\.\w+)*\.)\$\{/gi)].map((match) => match[1]!)
  const unused = Object.keys(english).filter((key) => !source.includes(`'${key}'`) && !made.some((start) => key.startsWith(start)))
  expect(unused).toEqual([])
})

test('numbers are written as the language does', () => {
  expect(fill('{n} of {all}, {who}', { n: 1234, all: 2, who: 'Ada' }, 'de')).toBe('1.234 of 2, Ada')
  expect(fill('{missing}', {}, 'en')).toBe('{missing}')
})
