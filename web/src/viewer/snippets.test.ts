import { expect, test } from 'vitest'
import { snippet, type Pieces } from './snippets'

const pieces: Pieces = { alt: 'A "fjord" [1] & <sea>', width: 960, height: 640, url: '/s/960x0/a.jpg', jpeg: '/j/480x0/a.jpg 480w, /j/960x0/a.jpg 960w', webp: '/w/480x0/a.jpg 480w', avif: 'https://cdn.example/v/a.jpg 480w', jxl: '/x/480x0/a.jpg 480w' }
const origin = 'https://pictures.example'

test('addresses are absolute, and those that were stay', () => {
  expect(snippet('url', pieces, origin)).toBe('https://pictures.example/s/960x0/a.jpg')
  expect(snippet('picture', pieces, origin)).toContain('https://pictures.example/j/480x0/a.jpg 480w,\n    https://pictures.example/j/960x0/a.jpg 960w')
  expect(snippet('picture', pieces, origin)).toContain('"\n    https://cdn.example/v/a.jpg 480w"'.slice(1))
})

test('the text of a picture cannot leave its attribute', () => {
  expect(snippet('img', pieces, origin)).toContain('alt="A &quot;fjord&quot; [1] &amp; &lt;sea&gt;"')
  expect(snippet('markdown', pieces, origin)).toBe('![A "fjord" \\[1\\] & <sea>](<https://pictures.example/s/960x0/a.jpg>)')
})

test('React and Next.js take texts as JavaScript, and Next.js the signed widths', () => {
  const jsx = snippet('react', { ...pieces, alt: 'a "b" {c} </script>' }, origin)
  expect(jsx).toContain('alt={"a \\"b\\" {c} </script>"}')
  expect(jsx).toContain('srcSet={"https://pictures.example/w/480x0/a.jpg 480w"}')
  expect(jsx).toContain('width={960} height={640}')
  const next = snippet('next', pieces, origin)
  const widths = JSON.parse(/widths = (\{[^}]*\})/.exec(next)![1]!) as Record<string, string>
  expect(widths).toEqual({ 480: 'https://pictures.example/w/480x0/a.jpg' })
})

test('a format that the server cannot write is left out', () => {
  expect(snippet('picture', { ...pieces, jxl: '' }, origin)).not.toContain('jxl')
  expect(snippet('picture', pieces, origin)).toContain('image/jxl')
})

test('the best format comes first, and the box is known before the picture is', () => {
  const text = snippet('picture', pieces, origin)
  expect(text.indexOf('avif')).toBeLessThan(text.indexOf('webp'))
  expect(text).toContain('width="960" height="640"')
  expect(snippet('css', pieces, origin)).toBe('background: url("https://pictures.example/s/960x0/a.jpg") center / cover no-repeat;')
})
