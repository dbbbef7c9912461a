import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { imageHtml } from '@safelight/client/html'
import astro from '@safelight/client/astro'
import next from '@safelight/client/next'
import nuxt from '@safelight/client/nuxt'
import { SafelightImage } from '@safelight/client/react'
import { SafelightImage as VueImage } from '@safelight/client/vue'
import { image, transform } from '@safelight/client/unpic'

const policy = '320w,640w,960w,avif,webp,low,high'
const template = `https://img.example.com/c2ln/family(${policy})/{choice}/300x200/a.jpg`
const at = (choice) => template.replace('{choice}', choice)
const hash = '3OcRJYB4d3h/iIeHeEh3eIhw+j2w'

test('loaders give the nearest URL of the family, and leave other addresses alone', () => {
  const getImage = nuxt().getImage
  for (const [wanted, choice] of [
    [{ width: 320 }, '320w'],
    [{ width: 321 }, '640w'],
    [{ width: 5000 }, '960w'],
    [{ width: 640, quality: 75 }, '640w,high'],
    [{ width: 640, quality: 30 }, '640w,low'],
    [{ width: 640, quality: 'low' }, '640w,low'],
  ]) {
    assert.equal(next({ src: template, ...wanted }), at(choice))
    assert.equal(getImage(template, { modifiers: wanted }).url, at(choice))
    assert.equal(transform(template, wanted), at(choice))
    assert.equal(astro.getURL({ src: template, ...wanted }), at(choice))
  }
  assert.equal(transform(template, { width: 320, format: 'webp' }), at('320w,webp'))
  assert.equal(transform(template, { width: 320, format: 'tiff' }), at('320w'))
  assert.equal(next({ src: '/logo.svg', width: 320 }), '/logo.svg')
})

test('Unpic gets the widths of the family, each picture its own', () => {
  const { src, transformer, breakpoints } = image(template)
  assert.deepEqual(breakpoints.map((width) => transformer(src, { width })), [at('320w'), at('640w'), at('960w')])
  breakpoints.sort((a, b) => b - a)
  assert.deepEqual(image(template).breakpoints, [320, 640, 960])
  assert.deepEqual(image('/logo.svg'), { src: '/logo.svg', transformer: transform, breakpoints: [] })
})

test('Astro has a srcset of widths with sizes, of densities without', () => {
  const of = (options) => astro.getSrcSet({ src: template, width: 320, height: 213, ...options }).map((e) => `${astro.getURL(e.transform)} ${e.descriptor}`)
  assert.deepEqual(of({ sizes: '50vw' }), [`${at('320w')} 320w`, `${at('640w')} 640w`, `${at('960w')} 960w`])
  assert.deepEqual(of({}), [`${at('320w')} 1x`, `${at('640w')} 2x`])
  assert.throws(() => astro.validateOptions({ src: template, width: 320 }), /needs width and height/)
  assert.deepEqual(astro.getHTMLAttributes({ src: template, width: 320, height: 213, alt: 'A', quality: 30, class: 'b' }), { alt: 'A', class: 'b', width: 320, height: 213, loading: 'lazy', decoding: 'async' })
})

const renderers = {
  React: async (props) => renderToStaticMarkup(createElement(SafelightImage, props)),
  HTML: async (props) => imageHtml(props),
  Vue: (props) => renderToString(createSSRApp({ render: () => h(VueImage, props) })),
}

for (const [name, render] of Object.entries(renderers)) {
  test(`the ${name} component renders an img with its place and its placeholder`, async () => {
    const html = await render({ family: template, alt: 'A lake', width: 320, height: 213, thumbHash: hash })
    for (const part of ['<img', `src="${at('640w')}"`, `${at('960w')} 960w"`, 'sizes="(min-width:320px) 320px, 100vw"', 'alt="A lake"', 'width="320"', 'height="213"', 'loading="lazy"', 'max-width:100%', 'data:image/png;base64,']) {
      assert.ok(html.replaceAll(': ', ':').includes(part), `${part} is missing in ${html}`)
    }
  })

  test(`the ${name} component renders whatever a page gets from elsewhere`, async () => {
    const props = { alt: 'A lake', width: 320, height: 213 }
    for (const [changed, has, hasNot] of [
      [{ family: null }, 'width="320"', 'src'],
      [{ family: undefined, thumbHash: hash }, 'data:image/png', 'src="'],
      [{ family: '' }, 'alt="A lake"', 'src'],
      [{ family: '/logo.svg' }, 'src="/logo.svg"', 'srcset'],
      [{ family: 'https://cdn.example.com/a.jpg?x=1' }, 'src="https://cdn.example.com/a.jpg?x=1"', 'sizes'],
      [{ family: template, format: 'tiff', quality: 'best' }, at('640w'), 'tiff'],
      [{ family: template, thumbHash: null }, at('640w'), 'background-image'],
      [{ family: template, thumbHash: 'not base64!' }, at('640w'), 'background-image'],
      [{ family: template, thumbHash: 'AAAA' }, at('640w'), 'background-image'],
    ]) {
      const html = await render({ ...props, ...changed })
      assert.ok(html.startsWith('<img') && html.includes(has), `${JSON.stringify(changed)}: ${html}`)
      assert.ok(!html.toLowerCase().includes(hasNot), `${JSON.stringify(changed)} has ${hasNot}: ${html}`)
    }
  })
}

test('the components pass on attributes of the page', async () => {
  const props = { family: template, alt: 'A lake', width: 320, height: 213, style: { borderRadius: '4px' } }
  for (const html of [await renderers.React({ ...props, className: 'b' }), await renderers.Vue({ ...props, class: 'b' })]) {
    for (const part of ['class="b"', 'max-width:100%', 'border-radius:4px']) assert.ok(html.includes(part), `${part} is missing in ${html}`)
  }
})

test('HTML of a picture is escaped', () => {
  const html = imageHtml({ family: '/a.jpg?x="><script>', alt: '"><b>&', width: 320, height: 213 })
  assert.ok(!/<script|<b>/.test(html), html)
  assert.ok(html.includes('alt="&#34;&#62;&#60;b&#62;&#38;"'), html)
})
