// Pages that are as they should be, and the same with one script or one element changed.

import { describe, expect, test } from 'vitest'
import {
  assets,
  type Change,
  type Checked,
  checked_pages,
  differences,
  reportOf,
  service,
  shop,
  within,
} from '../../../tests/support/checked-pages.ts'

test.each(checked_pages)('%s, as it is served', (name) => {
  expect(differences(name)).toEqual([])
  const origins = name === 'hosted-page' ? undefined : [shop]
  expect(differences(name, { origins })).toEqual([])
})

describe('the report names what was compared', () => {
  const always = [
    'its scripts: card-fields.js (inline)',
    'its style sheet: card-fields.css (inline)',
    'no other element, no event handler in the markup, no javascript: address',
    "what its script is told: as the service's configuration read says, in this release's words",
  ]
  const headers = expect.stringContaining('its headers: content-type, content-security-policy, ')
  const written = { 'content-type': 'text/html;charset=UTF-8' }

  test('with origins that were named', () => {
    expect(reportOf('card-fields', { headers: written, origins: [shop] })).toEqual({
      checked: [...always, `the origins that it trusts: ${service}, ${shop}`, headers],
      not_checked: [],
      differences: [],
    })
  })

  test('without', () => {
    expect(reportOf('card-fields', { headers: written })).toEqual({
      checked: [...always, headers],
      not_checked: [`whether the origins that may frame it are yours, because none was named: ${service}, ${shop}`],
      differences: [],
    })
  })
})

const link = `${service}${assets['pay.js'].path}`

describe('scripts', () => {
  test.each<[string, Checked, Change, string]>([
    [
      'one more inside the page',
      'hosted-page',
      { html: within('<script>steal()</script>') },
      'The inline script “steal()” is not known: sha384-',
    ],
    [
      'one more of another kind',
      'card-fields',
      { html: within('<script type="importmap">{}</script>') },
      'The inline script “{}” is not known',
    ],
    [
      'one in a comment',
      'card-fields',
      { html: within('<!--><script>steal()</script>-->') },
      'The inline script “steal()” is not known',
    ],
    [
      'one more of the service itself',
      'hosted-page',
      { html: within('<script src="/simulator/x.js"></script>') },
      'The script https://pay.example/simulator/x.js is not known',
    ],
    [
      'one that cannot be read',
      'hosted-page',
      {
        html: within('<script src="/x.js"></script>'),
        files: (files) => files.set(`${service}/x.js`, 'ECONNRESET'),
      },
      'The script https://pay.example/x.js could not be read: ECONNRESET.',
    ],
    [
      'one from elsewhere',
      'hosted-page',
      { html: within('<script src="//evil.example/x.js"></script>') },
      'The script https://evil.example/x.js comes from elsewhere.',
    ],
    [
      'one without an address',
      'hosted-page',
      { html: within('<script src="http://["></script>') },
      'The script http://[ comes from elsewhere.',
    ],
    [
      'a changed one inside the page',
      'card-fields',
      { html: (html) => html.replace('/* card-fields.js */', '/* card-fields.jS */') },
      'The inline script card-fields.js is missing.',
    ],
    [
      'a changed file',
      'hosted-page',
      { files: (files) => files.set(link, { status: 200, headers: {}, body: 'x' }) },
      `The script ${link} is not known: sha384-`,
    ],
    [
      'a file that only a status says is another',
      'hosted-page',
      {
        files: (files) => {
          files.set(link, { status: 203, headers: {}, body: assets['pay.js'].text })
        },
      },
      'The file pay.js answers 203, not 200.',
    ],
    [
      'a changed file that is loaded on demand',
      'hosted-page',
      {
        files: (files) => {
          const address = service + assets['three-ds.js'].path
          files.set(address, { status: 200, headers: {}, body: 'x' })
        },
      },
      `${service}${assets['three-ds.js'].path} is not known: sha384-`,
    ],
    [
      'another integrity',
      'hosted-page',
      { html: (html) => html.replace(assets['pay.js'].integrity, 'sha384-x') },
      `The link to pay.js has the integrity sha384-x, not ${assets['pay.js'].integrity}.`,
    ],
    [
      'no integrity',
      'hosted-page',
      { html: (html) => html.replace(/(pay\.js") integrity="\S+"/, '$1') },
      'The link to pay.js has no integrity, not sha384-',
    ],
    [
      'no crossorigin',
      'hosted-page',
      { html: (html) => html.replace(/(pay\.js"[^>]*) crossorigin/, '$1') },
      'The link to pay.js lacks the attribute crossorigin.',
    ],
    [
      'one that is missing',
      'hosted-page',
      { html: (html) => html.replace(/<script[^>]*pay\.js"[^>]*>/, '<script>') },
      'The linked script pay.js is missing.',
    ],
    [
      'one that is there twice',
      'challenge-page',
      { html: (html) => html.replace(/<script>.*<\/script>/, '$&$&') },
      'The inline script “var said=document.body.dataset',
    ],
    [
      'one that is of another kind now',
      'card-fields',
      { html: (html) => html.replace('<script>/*', '<script type="module">/*') },
      'The inline script or style card-fields.js has attributes.',
    ],
    [
      'a changed style sheet inside the page',
      'card-fields',
      { html: (html) => html.replace('<style>', '<style>*{background:url(//evil.example)}') },
      'The inline style sheet card-fields.css is missing.',
    ],
    [
      'another style sheet',
      'hosted-page',
      { html: within('<link rel="stylesheet" href="https://evil.example/x.css">') },
      'The style sheet https://evil.example/x.css comes from elsewhere.',
    ],
  ])('%s', (_name, page, change, words) => {
    expect(differences(page, change)).toContainEqual(expect.stringContaining(words))
  })
})

describe('markup', () => {
  test.each<[string, Checked, string, string]>([
    ['an event handler', 'hosted-page', '<p ONclick="1">', '<p> has the event handler onclick.'],
    ['one after a slash', 'challenge-page', '<p/onclick=1>', '<p> has the event handler onclick.'],
    ['a javascript: address', 'challenge-page', '<a href=" java&#10;script:1">', 'href of <a> is a'],
    ['a named reference', 'challenge-page', '<a href="x&colon;1">', 'The page has “href="x&colon;1"”'],
    ['another element', 'challenge-page', '<svg>', 'The page has <svg>, which is not ours.'],
    ['a field for cards', 'card-fields', '<input name="number">', 'The page has <input>'],
    ['a base', 'card-fields', '<base href="https://evil.example">', 'The page has <base>'],
    ['a frame of its own page', 'challenge-page', '<iframe srcdoc="x">', '<iframe> has srcdoc,'],
    ['a redirect', 'card-fields', '<meta http-equiv="refresh">', '<meta> has http-equiv,'],
    ['another link', 'card-fields', '<link rel="preload" href="/x">', '<link> points to /x,'],
    ['a comment', 'card-fields', '<!-- x -->', 'The page has “<!-- x --></body></html>”'],
    ['a tag without an end', 'card-fields', '<p a="', 'The page has “<p a="</body></html>”'],
  ])('%s', (_name, page, added, words) => {
    const found = differences(page, { html: within(added) })
    expect(found).toContainEqual(expect.stringContaining(words))
  })
})
