// `ripper page check` against the running service, and against somebody between it and the shopper.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PageAnswer } from '../../src/http/pages.ts'
import { languageFor } from '../../src/kernel/words.ts'
import type { TextAnswer } from '../../src/kernel/world.ts'
import { readAssets } from '../../src/pages/assets.ts'
import { accept_language } from '../../src/pages/check/expected-page.ts'
import { comparePage, type Report } from '../../src/pages/check/page-check.ts'
import { type PageName, page_names, pageInventory } from '../../src/pages/inventory.ts'
import { challengeDocument, methodFrame } from '../../src/payments/authentication/framed-page.ts'
import { ripper } from '../support/programs.ts'
import { useServedPages } from '../support/served-pages.ts'
import { shop } from '../support/service.ts'

const served = await useServedPages()
const base = served.service.base_url
const { fields, pay, demo, challenge, method, result } = served.pages
const key = served.account.publishable_key!
const pages: Record<PageName, string> = {
  'checkout.js': `${base}/checkout.js`,
  'card-fields': `${base}${fields}`,
  'hosted-page': `${base}${pay}`,
  'demo-shop': `${base}${demo}`,
  'challenge-page': `${base}${challenge}?return_url=${shop}/basket`,
  'method-page': `${base}${method}`,
  'result-page': `${base}${result}?return_url=${shop}/basket`,
}
const assets = readAssets()
const inventory = pageInventory(assets)
const evil = 'https://evil.example'

/** Another text or status, or the reason why there is no answer. */
type File = ((text: string) => string) | number | string

type Change = {
  /** The origin of the page's address, if it is not the service's. */
  at?: string
  /** In place of the address's own. */
  query?: string
  html?: (html: string) => string
  headers?: Record<string, string | undefined>
  policy?: (policy: string) => string
  /** Of the page itself, and of files and the configuration by the end of their path. */
  status?: number
  files?: Record<string, File>
  service?: string
  /** Named by `--origin`. */
  origins?: string[]
}

async function report(name: PageName, change: Change = {}): Promise<Report> {
  const url = change.query === undefined ? pages[name] : pages[name].split('?')[0] + change.query
  const page = await read(url)
  const { headers } = page
  Object.assign(headers, change.headers)
  if (change.policy) headers['content-security-policy'] = change.policy(headers['content-security-policy']!)
  const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  const body = change.html?.(page.body) ?? page.body
  if (change.html) expect(body).not.toBe(page.body)
  return comparePage(inventory.find((entry) => entry.name === name)!, {
    served: {
      url: url.replace(base, change.at ?? base),
      service: change.service ?? base,
      origins: change.origins ?? null,
      page: { status: change.status ?? page.status, headers: kept, body },
    },
    assets,
    read: async (address) => {
      const changed = Object.entries(change.files ?? {}).find(([end]) => address.endsWith(end))?.[1]
      if (typeof changed === 'string') return changed
      const answer = await read(address.replace(evil, base))
      if (typeof changed === 'number') return { ...answer, status: changed }
      return changed ? { ...answer, body: changed(answer.body) } : answer
    },
  })
}

async function read(url: string): Promise<TextAnswer> {
  const answer = await fetch(url, { headers: { 'accept-language': accept_language }, redirect: 'manual' })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}

const added = (html: string) => ({ html: (page: string) => page.replace('</body>', `${html}</body>`) })
const replaced = (from: string | RegExp, to: string) => ({ html: (page: string) => page.replace(from, to) })
const policy = (from: string | RegExp, to: string) => ({ policy: (text: string) => text.replace(from, to) })
const header = (name: string, value: string | undefined): Change => ({ headers: { [name]: value } })
const file = (path: string, changed: File): Change => ({ files: { [path]: changed } })
const quoted = (text: string) => text.replaceAll('"', '&#34;')
const trusting = (...origins: string[]) => JSON.stringify([base, shop, ...origins])

/** A page around a bank on a host of its own, which the test bank is not. */
function ofBank(page: (of: Parameters<typeof methodFrame>[0]) => PageAnswer, action: string): Change {
  const back = page === methodFrame ? null : `${shop}/basket`
  const { body, headers } = page({
    form: { action, fields: page === methodFrame ? { threeDSMethodData: 'e30' } : { creq: 'e30' } },
    frame: { origins: [base, shop], service: base, back },
    language: languageFor(null, accept_language),
  })
  return { html: () => body, headers }
}

describe('as this release serves it', () => {
  test.each<[string, PageName, Change]>([
    ...page_names.map((name): [string, PageName, Change] => [name, name, {}]),
    ['in a language', 'hosted-page', { query: '?locale=ar' }],
    ['the card fields in a language', 'card-fields', { query: '?locale=de-CH' }],
    ['the card fields of an integration', 'card-fields', { query: '?integration=hosted' }],
    ['the card fields of a page that isolates itself', 'card-fields', { query: '?isolated' }],
    ['a challenge in a frame', 'challenge-page', { query: `?return_url=${shop}/${'a'.repeat(800)}` }],
    ['a challenge that leads nowhere', 'challenge-page', { query: '' }],
    ['one that would lead to a stranger', 'challenge-page', { query: `?return_url=${evil}/` }],
    ['a bank', 'challenge-page', ofBank(challengeDocument, 'https://acs.example/a?b="&c')],
    ['a 3DS Method', 'method-page', ofBank(methodFrame, 'https://acs.example/method')],
    ['scripts of the service that is named', 'hosted-page', { at: shop }],
    ['the service among the origins', 'card-fields', { origins: [shop, base] }],
    ['headers that a proxy adds', 'hosted-page', { headers: { via: '1.1 x', 'set-cookie': 'lb=1' } }],
    ['a charset as proxies spell it', 'hosted-page', { headers: { 'content-type': 'text/html;charset=UTF-8' } }],
  ])('%s', async (_name, page, change) => {
    expect(await report(page, change)).toMatchObject({ differences: [] })
    if (['card-fields', 'challenge-page', 'method-page', 'result-page'].includes(page)) {
      expect(await report(page, { origins: [shop], ...change })).toMatchObject({ differences: [], not_checked: [] })
    }
  })
})

const attacks: Record<PageName, [string, Change, string][]> = {
  'checkout.js': [
    ['another script', { html: (text) => `${text} ` }, 'The script checkout.js is not that of this release'],
    [
      'one loaded later',
      file('three-ds.js', (text) => `${text} `),
      '/three-ds.js is not that of this release: its hash',
    ],
    ['a service worker', header('service-worker-allowed', '/'), 'service-worker-allowed, “/”, is not ours.'],
  ],
  'hosted-page': [
    ['a script more', added('<script>steal()</script>'), '“<script>steal()</script></body>'],
    ['one of the service itself', added('<script src="/simulator/x.js"></script>'), '/simulator/x.js'],
    ['one from elsewhere', added('<script src="//evil.example/x.js"></script>'), 'evil.example/x.js'],
    ['one before all others', replaced('</head>', '<script>1</script></head>'), '“<script>1</script>'],
    ['one less', replaced(/<script[^>]*pay\.js"[^>]*><\/script>/, ''), 'pay.js'],
    ['another integrity', replaced(assets['pay.js'].integrity, 'sha384-x'), 'integrity="sha384-x"'],
    ['no integrity', replaced(/(pay\.js") integrity="\S+"/, '$1'), 'pay.js" crossorigin>'],
    ['no crossorigin', replaced(/(pay\.js"[^>]*) crossorigin/, '$1'), '<script defer src='],
    ['another style', added(`<link rel="stylesheet" href="${evil}/x.css">`), `href="${evil}/x.css"`],
    ['a file changed', file('pay.js', (text) => `${text};x`), '/pay.js is not that of this release: its hash is'],
    ['a file of another status', file('pay.js', 203), '/pay.js answers 203, not 200.'],
    ['a file loaded later', file('three-ds.js', () => 'x'), '/three-ds.js is not that of this release'],
    ['an event handler', added('<p ONclick="1">'), '“<p ONclick="1">'],
    ['one of the body', replaced('<body>', '<body onclick="steal()">'), '“<body onclick="steal()">'],
    ['a page of somebody else', replaced(/.*/s, '<!doctype html>\n<p>'), 'from line 1, column 16 on'],
    ['an empty page', replaced(/.*/s, ''), 'it has “” and should have “<!doctype html>'],
    ['another publishable key', { html: (html) => html.replaceAll(key, 'rip_pk_2') }, '"public_key":"rip_pk_2"'],
    ['another handle', replaced('"handle":"tea"', '"handle":"tee"'), '"handle":"tee"'],
    ['another service', replaced(`"base_url":"${base}"`, `"base_url":"${evil}"`), `"base_url":"${evil}"`],
    ['another price', replaced('"unit_amount":850', '"unit_amount":1'), '“"unit_amount":1,'],
    ['another end', replaced('"confirmation_url":null', `"confirmation_url":"${evil}"`), `_url":"${evil}"`],
    ['another language', replaced('"locale":"en-GB"', '"locale":"xx"'), '“"locale":"xx"'],
    ['nothing told', replaced(/(id="context">).*?(<\/script>)/, '$1[]$2'), 'id="context">[]'],
    ['else told', replaced('<main id="pay">', '<p id="context">{}</p><main id="pay">'), '“<p id="context">'],
    ['fields elsewhere', file('/tea', (text) => text.replace(`${base}/card`, `${evil}/card`)), `at ${evil}`],
    ['a member more', file('/tea', (text) => text.replace('{', '{"a":1,')), 'should have “"config":{"a":1'],
    ['another mode', file('/tea', (text) => text.replace('"test"', '"live"')), '“"mode":"live"'],
    ['no picture', file('/tea', (text) => text.replace('https://cdn', 'https://[')), 'not as this release gives it'],
    ['no configuration', file('/tea', 503), '/v1/checkout/handles/tea, answers 503, not 200.'],
    ['no answer', file('/tea', 'ECONNRESET'), '/handles/tea, could not be read: ECONNRESET.'],
    ['no JSON', file('/tea', () => '<p>'), '/handles/tea, is not as this release gives it.'],
    ['two policies', policy(/$/, ', default-src *'), "“frame-ancestors 'none', default-src *”"],
    ['a weaker directive', policy('script-src ', "script-src 'unsafe-inline' "), "“script-src 'unsafe-inline'"],
    ['directives elsewhere', { policy: (text) => text.split('; ').reverse().join('; ') }, 'content-security-policy is'],
    ['another service', policy(`connect-src 'self' ${base}`, `connect-src 'self' ${evil}`), `'self' ${evil}`],
    ['no service', policy(`connect-src 'self' ${base}`, "connect-src 'self'"), "“connect-src 'self';"],
    ['other pictures', policy('https://cdn.example', 'https://img.example'), 'https://img.example'],
    ['pictures without TLS', policy('https://cdn.example', 'http://localhost'), 'http://localhost'],
    ['a header less', header('x-frame-options', undefined), 'The header x-frame-options is missing.'],
    ['no TLS kept', header('strict-transport-security', undefined), 'strict-transport-security is missing.'],
    ['another value', header('x-frame-options', 'ALLOW'), 'is “ALLOW” and should be “DENY”'],
    [
      'another charset',
      header('content-type', 'text/html; charset=utf-7'),
      'The header content-type is “charset=utf-7” and should be “charset=utf-8”',
    ],
    [
      'a header that leads away',
      header('refresh', `0;url=${evil}`),
      `The header refresh, “0;url=${evil}”, is not ours.`,
    ],
    ['a redirect', { status: 302, ...header('location', `${evil}/`) }, `is 302 and leads to ${evil}/, not 200.`],
    ['another status', { status: 404 }, 'The answer is 404, not 200.'],
  ],
  'demo-shop': [
    ['a file that is silent', file('demo.css', 'ECONNRESET'), '/demo.css could not be read: ECONNRESET.'],
    [
      'scripts of an origin not named',
      { at: evil, service: evil },
      `and should have “<link rel="stylesheet" href="${evil}`,
    ],
    ['data for no script', added('<script type="application/json">{}</script>'), '<script type="application/json">{}'],
    ['another service', replaced(`"base_url":"${base}"`, `"base_url":"${evil}"`), `"base_url":"${evil}"`],
    ['two services', replaced('"goods":[', `"base_url":"${evil}","goods":[`), `“"base_url":"${evil}"`],
    ['no JSON', replaced(/(id="context">).*?(<\/script>)/, '$1nil$2'), 'id="context">nil'],
  ],
  'card-fields': [
    ['a script of another kind', added('<script type="importmap">{}</script>'), '<script type="importmap">'],
    ['one in a comment', added('<!--><script>steal()</script>-->'), '“<!--><script>steal()'],
    ['one that is a module now', replaced('<script>', '<script type="module">'), '“<script type="module">'],
    ['one changed', replaced('</script></body>', ';steal()</script></body>'), ';steal()'],
    ['a style changed', replaced('<style>', '<style>*{background:url(//evil.example)}'), '//evil.example'],
    ['a field for cards', added('<input name="number">'), '<input name="number">'],
    ['a base', added(`<base href="${evil}">`), '“<base'],
    ['a redirect', added('<meta http-equiv="refresh">'), 'http-equiv'],
    ['another link', added('<link rel="preload" href="/x">'), 'preload'],
    ['a comment', added('<!-- x -->'), '<!-- x -->'],
    ['a tag without an end', added('<p a="'), '<p a="'],
    ['more after the end', { html: (html) => `${html}\u001b[2J.` }, '“</html>\u001b[2J.”'],
    ['another publishable key', replaced(key, 'rip_pk_2'), '“"public_key":"rip_pk_2"'],
    ['another look', replaced('"fontFamily":', '"fontFamilie":'), 'fontFamilie'],
    ['another brand', replaced('"brands":["visa"', '"brands":["wisa"'), 'wisa'],
    ['a member less', replaced(/"receipts_sent":\w+/, '"x":1'), '“"x":1}'],
    ['other words', replaced(/"number":"[^"]*"/, '"number":"Your PIN"'), '“"number":"Your PIN"'],
    ['nothing told', replaced(/(id="context">).*?(<\/script>)/, '$1[]$2'), 'id="context">[]'],
    ["somebody's configuration", file(key, (text) => text.replaceAll(key, 'rip_pk_2')), 'belongs to rip_pk_2'],
    [
      'no methods',
      file(key, (text) => text.replace(/"methods":\[[^\]]*\]}/, '"methods":[{}')),
      'not as this release gives it',
    ],
    ['a stranger, trusted', { ...replaced(trusting(), trusting(evil)), origins: [shop] }, `"${shop}","${evil}"]`],
    ['the same, no origin named', replaced(trusting(), trusting(evil)), 'The header content-security-policy'],
    ['a stranger as a framer', policy(/$/, ` ${evil}`), `“frame-ancestors 'self' ${base} ${shop} ${evil}”`],
    ['a shop that it does not know', { origins: [shop, evil] }, `and should have “"${shop}","${evil}"`],
    ['one that the policy does not', policy(` ${shop}`, ''), `“frame-ancestors 'self' ${base}” and should be`],
    ['anybody as a framer', policy(shop, '*'), `${base} *”`],
    ['anybody, trusted', { ...replaced(trusting(), trusting('*')), ...policy(/$/, ' *') }, ',"*"]'],
    ['a directive less', policy("trusted-types 'none'; ", ''), "should be “trusted-types 'none'"],
    ['a directive more', policy(/$/, "; Script-Src-Attr 'unsafe-inline'"), 'Script-Src-Attr'],
    ['a directive twice', policy(/^/, 'frame-src https:; '), '“frame-src https:;'],
    ['a source less', policy(/'sha256-\S+?'/, ''), '“script-src ;'],
    ['a page that a cache keeps', header('cache-control', 'public'), 'The header cache-control is “public”'],
  ],
  'challenge-page': [
    ['a script twice', replaced(/<script>.*<\/script>/, '$&$&'), '“<script>var said='],
    ['a handler after a slash', added('<p/onclick=1>'), '<p/onclick=1>'],
    ['a javascript: address', added('<a href=" java&#10;script:1">'), 'java&#10;script:1'],
    ['a named reference', added('<a href="x&colon;1">'), 'x&colon;1'],
    ['another element', added('<svg>'), '“<svg></body></html>”'],
    ['a field for the bank', replaced('<noscript>', '<input name="x"><noscript>'), '<input name="x">'],
    ['a frame of its own page', added('<iframe srcdoc="x">'), 'srcdoc'],
    ['a stranger, trusted', replaced(quoted(trusting()), quoted(trusting(evil))), 'content-security-policy'],
    ['a stranger not named', { ...replaced(quoted(`${shop}"]`), quoted(`${evil}"]`)), origins: [shop] }, evil],
    ['another framer', policy(shop, evil), evil],
    ['a way back elsewhere', { html: (html) => html.replaceAll(`${shop}/basket`, `${evil}/`) }, `data-back="${evil}/"`],
    ['a bank without TLS', ofBank(challengeDocument, 'http://127.0.0.1:1/'), "posts the shopper's browser to"],
    ['no policy', header('content-security-policy', undefined), 'The header content-security-policy is missing.'],
  ],
  'method-page': [
    ['another text', replaced(/<button>[^<]*/, '<button>Pay'), '“<button>Pay'],
    ['a script in place of a bank', replaced(/action="[^"]*"/, 'action="javascript:1"'), '“javascript:1”'],
    ['no bank', replaced(/ action="[^"]*"/, ''), 'to “”'],
    ['another shop than named', { origins: [evil] }, evil],
  ],
  'result-page': [
    ['a way back elsewhere', replaced(`${shop}/basket`, `${evil}/`), `data-back="${evil}/"`],
    ['a link elsewhere', added(`<a href="${evil}/">Back</a>`), `<a href="${evil}/">`],
    ['another shop than named', { origins: [evil] }, evil],
    ['no shop', { ...replaced(/ data-origins="[^"]*"/, ''), origins: [shop] }, '“<body data-back='],
  ],
}
const planted = page_names.flatMap((page) =>
  attacks[page].map(([what, ...row]) => [`${page}: ${what}`, page, ...row] as const),
)

test.each(planted)('%s', async (_name, page, change, words) => {
  expect((await report(page, change)).differences).toContainEqual(expect.stringContaining(words))
})

describe('what is not seen, and the help says so', () => {
  test.each<[string, PageName, Change, RegExp]>([
    [
      'page and configuration agree',
      'hosted-page',
      {
        ...replaced('"unit_amount":850', '"unit_amount":1'),
        ...file('/tea', (text) => text.replace('"unit_amount":850', '"unit_amount":1')),
      },
      /attacker who controls/i,
    ],
    [
      'a stranger may frame the card fields, and no origin is named',
      'card-fields',
      { ...replaced(trusting(), trusting(evil)), ...policy(/$/, ` ${evil}`) },
      /without --origin/i,
    ],
  ])('%s', async (_name, page, change, words) => {
    expect(await report(page, change)).toMatchObject({ differences: [] })
    expect((await ripper(['page', 'check', '--help'])).stdout).toMatch(words)
  })
})
describe('as a command', () => {
  let nobody: string
  beforeAll(async () => {
    const gone = createServer()
    await new Promise<void>((listening) => gone.listen(0, '127.0.0.1', listening))
    nobody = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
    gone.close()
  })

  const rows: [string, () => string[], number, RegExp][] = [
    [
      'a page that is right',
      () => [pages['hosted-page']],
      0,
      /is as Ripper Checkout \d\S+ serves it \(The hosted page\)\. Compared:\n {2}its text, byte for byte, with its scripts and styles: checkout\.js \(linked\), pay\.js \(linked\), /,
    ],
    ['the end of a challenge', () => [pages['result-page']], 0, /serves it \(The 3-D Secure result page\)/],
    [
      'a page that is not there',
      () => [`${base}/pay/nobody`],
      1,
      /is not as Ripper Checkout \S+ serves it \(The hosted page\):\n {2}The answer is 404, not 200\.\n/,
    ],
    [
      'a redirect',
      () => [`${base.replace('127.0.0.1', 'localhost')}/demo`],
      1,
      /The answer is 302 and leads to http:\/\/127\.0\.0\.1:\d+\/demo, not 200\./,
    ],
    ['nobody there', () => [`${nobody}/demo`], 1, /cannot be read: ECONNREFUSED/],
    [
      'another page than is named',
      () => [pages['demo-shop'], '--page', 'hosted-page'],
      1,
      /handles\/demo, answers 404/,
    ],
    ['no address', () => [], 2, /needs URL/],
    ['an address of another kind', () => ['ftp://pay.example/demo'], 2, /URL must be an http/],
    ['a path that does not tell', () => ['https://pay.example/x'], 2, /needs --page/],
    ['an unknown page', () => ['https://pay.example/', '--page', 'x'], 2, /--page must be one of/],
    [
      'a service that is no origin',
      () => ['https://pay.example/demo', '--service', 'https://a.example/x'],
      2,
      /--service must be/,
    ],
    [
      'an origin that is none',
      () => ['https://pay.example/card-fields/x', '--origin', 'https://a.example/'],
      2,
      /--origin must be .*, not https:\/\/a\.example\/$/m,
    ],
    [
      'an origin for a page that nobody frames',
      () => [pages['hosted-page'], '--origin', shop],
      2,
      /--origin is of no use for The hosted page/,
    ],
    [
      'the card fields, without origins named',
      () => [pages['card-fields']],
      0,
      /Not compared:\n {2}whether the origins that may frame it are yours, .*https:\/\/shop\.example\n$/,
    ],
  ]

  test.each(rows)('%s', async (_name, args, status, words) => {
    const ended = await ripper(['page', 'check', ...args()])
    expect(ended.stdout + ended.stderr).toMatch(words)
    expect(ended.status).toBe(status)
  })

  test('by --json', async () => {
    const { status, stdout } = await ripper(['page', 'check', `${base}/pay/x`, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      url: `${base}/pay/x`,
      page: 'hosted-page',
      release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      checked: [],
      not_checked: [],
      differences: ['The answer is 404, not 200.'],
    })
  })
})
