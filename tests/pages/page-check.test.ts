// `ripper page check` against the running service, and against somebody between it and the shopper.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { ripper } from '../support/programs.ts'
import { useServedPages } from '../support/served-pages.ts'
import { shop } from '../support/service.ts'

const served = await useServedPages()
const { service } = served
const { fields, pay, demo, challenge, method, result } = served.pages
const paths = {
  'checkout.js': '/checkout.js',
  'card-fields': `${fields}?locale=ar`,
  'hosted-page': pay,
  'demo-shop': demo,
  'challenge-page': `${challenge}?return_url=${shop}/basket`,
  'method-page': method,
  'result-page': result,
}
const pages: Record<string, string> = Object.fromEntries(
  Object.entries(paths).map(([name, path]) => [name, service.base_url + path]),
)

type CheckReport = {
  status: number
  page: string
  checked: string[]
  not_checked: string[]
  differences: string[]
}

type CheckOptions = Record<string, string | string[]>

async function check(url: string, options: CheckOptions = {}): Promise<CheckReport> {
  const flags = Object.entries(options).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [`--${name}`, value]),
  )
  const { status, stdout } = await ripper(['page', 'check', url, ...flags, '--json'])
  return { status, ...JSON.parse(stdout) }
}

test.each(['checkout.js', 'card-fields', 'hosted-page', 'demo-shop', 'challenge-page', 'method-page', 'result-page'])(
  '%s is as this release has it',
  async (page) => {
    const said = await check(pages[page]!)
    expect(said).toMatchObject({ status: 0, page, differences: [] })
    expect(said.checked.length).toBeGreaterThan(1)
  },
)

describe('with the origins named', () => {
  test.each(['card-fields', 'challenge-page', 'method-page', 'result-page'])('%s', async (page) => {
    const said = await check(pages[page]!, { origin: [shop] })
    expect(said).toMatchObject({ status: 0, page, not_checked: [], differences: [] })
    const other = 'https://other.example'
    expect(await check(pages[page]!, { origin: [other] })).toMatchObject({
      status: 1,
      differences: expect.arrayContaining([
        `The page trusts ${shop}, which is not ours.`,
        `The page does not trust ${other}.`,
        `frame-ancestors of the policy allows ${shop}, which is not ours.`,
        `frame-ancestors of the policy lacks ${other}.`,
      ]),
    })
  })
})

test('the card fields of an integration', async () => {
  const url = pages['card-fields']!.replace('?', '?integration=hosted&')
  expect(await check(url)).toMatchObject({ status: 0, differences: [] })
})

test('a file of the service by its own address', async () => {
  const html = await (await fetch(pages['hosted-page']!)).text()
  const [, url] = /src="([^"]+\/checkout\.js)"/.exec(html)!
  expect(await check(url!)).toMatchObject({ status: 0, page: 'checkout.js' })
})

type Change = {
  page?: string
  options?: CheckOptions
  /** Of bodies, by the path that they come from. */
  body?: (text: string, path: string) => string
  headers?: (headers: Record<string, string>) => void
}

/** Serves what the service serves under an address of its own, but for the change, and checks a page there. */
async function checkChanged({ page = 'hosted-page', options, body, headers }: Change) {
  const between = createServer(async (request, response) => {
    const answer = await fetch(service.base_url + request.url, { redirect: 'manual' })
    const text = (await answer.text()).replaceAll(service.base_url, originOf(between))
    const own = Object.fromEntries(
      [...answer.headers]
        .filter(([name]) => !['content-encoding', 'transfer-encoding'].includes(name))
        .map(([name, value]) => [name, value.replaceAll(service.base_url, originOf(between))]),
    )
    delete own['content-length']
    headers?.(own)
    response.writeHead(answer.status, own).end(body?.(text, request.url!) ?? text)
  })
  await new Promise<void>((listening) => between.listen(0, '127.0.0.1', listening))
  try {
    return await check(pages[page]!.replace(service.base_url, originOf(between)), options)
  } finally {
    between.closeAllConnections()
    between.close()
  }
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('somebody in between', () => {
  test.each(['checkout.js', 'card-fields', 'hosted-page', 'demo-shop', 'challenge-page'])(
    'who changes nothing is not noticed: %s',
    async (page) => {
      expect(await checkChanged({ page })).toMatchObject({ status: 0, page, differences: [] })
    },
  )

  test.each<[string, Change, string[]]>([
    [
      'adds a script',
      { body: (text) => text.replace('</head>', '<script>steal()</script></head>') },
      [expect.stringContaining('The inline script “steal()” is not known: sha384-')],
    ],
    [
      'adds a script to the card fields, and allows it',
      {
        page: 'card-fields',
        body: (text) => text.replace('</body>', '<script>steal()</script></body>'),
        headers: (headers) => {
          const policy = headers['content-security-policy']!
          headers['content-security-policy'] = policy.replace('script-src', "script-src 'unsafe-inline'")
        },
      },
      [
        expect.stringContaining('The inline script “steal()” is not known: sha384-'),
        "script-src of the policy allows 'unsafe-inline', which is not ours.",
      ],
    ],
    [
      'changes a script',
      { body: (text, path) => (path.endsWith('/pay.js') ? `${text};steal()` : text) },
      [
        expect.stringMatching(/^The script http\S+\/pay\.js is not known: sha384-/),
        'The linked script pay.js is missing.',
      ],
    ],
    [
      'changes the script that is loaded on demand',
      {
        page: 'checkout.js',
        body: (text, path) => (path.endsWith('/three-ds.js') ? `${text};steal()` : text),
      },
      [expect.stringMatching(/^http\S+\/three-ds\.js is not known: sha384-/)],
    ],
    [
      'changes checkout.js',
      { page: 'checkout.js', body: (text, path) => (path === '/checkout.js' ? `${text} ` : text) },
      [expect.stringContaining('The script is not known: sha384-')],
    ],
    [
      'takes the policy away',
      { page: 'challenge-page', headers: (headers) => delete headers['content-security-policy'] },
      ['The header content-security-policy is missing.'],
    ],
    [
      'takes a header away',
      {
        headers: (headers) => {
          delete headers['x-frame-options']
          delete headers['strict-transport-security']
        },
      },
      ['The header strict-transport-security is missing.', 'The header x-frame-options is missing.'],
    ],
    [
      'lets a stranger frame the card fields',
      {
        page: 'card-fields',
        headers: (headers) => {
          headers['content-security-policy'] += ' https://evil.example'
        },
      },
      ['frame-ancestors of the policy allows https://evil.example, which is not ours.'],
    ],
    [
      'lets a stranger frame the card fields and talk to them',
      {
        page: 'card-fields',
        options: { origin: [shop] },
        body: (text, path) =>
          path.startsWith('/card-fields/') ? text.replace('{"origins":[', '{"origins":["https://evil.example",') : text,
        headers: (headers) => {
          headers['content-security-policy'] += ' https://evil.example'
        },
      },
      [
        'The page trusts https://evil.example, which is not ours.',
        'frame-ancestors of the policy allows https://evil.example, which is not ours.',
      ],
    ],
    [
      'has the hosted page pay somebody else',
      {
        body: (text, path) => (path.startsWith('/pay/') ? text.replaceAll(/rip_pk_\w+/g, 'rip_pk_evil') : text),
      },
      [
        expect.stringMatching(/^config\.public_key of the context is rip_pk_evil, not rip_pk_\w+\.$/),
        expect.stringMatching(/^config\.card_fields_url of the context is \S+\/rip_pk_evil\S*, not /),
      ],
    ],
    [
      'has the card fields take cards for somebody else',
      {
        page: 'card-fields',
        body: (text, path) => (path.startsWith('/card-fields/') ? text.replaceAll(/rip_pk_\w+/g, 'rip_pk_evil') : text),
      },
      [expect.stringMatching(/^public_key of the context is rip_pk_evil, not rip_pk_\w+\.$/)],
    ],
    [
      'has a click run something',
      { body: (text) => text.replace('<body>', '<body onclick="steal()">') },
      ['<body> has the event handler onclick.'],
    ],
  ])('who %s', async (_name, change, differences) => {
    expect(await checkChanged(change)).toMatchObject({ status: 1, differences })
  })

  test.each<[string, Change, RegExp]>([
    [
      'who makes page and configuration agree',
      {
        body: (text, path) =>
          /^\/(pay|v1)\//.test(path) ? text.replace('"unit_amount":850', '"unit_amount":1') : text,
      },
      /attacker who controls/i,
    ],
    [
      'who lets a stranger frame the card fields, without origins named',
      {
        page: 'card-fields',
        body: (text, path) =>
          path.startsWith('/card-fields/') ? text.replace('{"origins":[', '{"origins":["https://evil.example",') : text,
        headers: (headers) => {
          headers['content-security-policy'] += ' https://evil.example'
        },
      },
      /without --origin/i,
    ],
  ])('%s, is not seen, and the help says so', async (_name, change, words) => {
    expect(await checkChanged(change)).toMatchObject({ status: 0, differences: [] })
    expect((await ripper(['page', 'check', '--help'])).stdout).toMatch(words)
  })

  test('whose scripts come from another origin is only right where that is named', async () => {
    const back = (text: string) => text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, service.base_url)
    const options = { service: service.base_url }
    const change: Change = {
      body: (text) => back(text),
      headers: (headers) => {
        headers['content-security-policy'] = back(headers['content-security-policy'] ?? '')
      },
    }
    expect(await checkChanged({ ...change, options })).toMatchObject({ status: 0 })
    const { status, differences } = await checkChanged(change)
    expect(status).toBe(1)
    expect(differences).toContainEqual(expect.stringMatching(/pay\.js comes from elsewhere\.$/))
  })
})

describe('as a command', () => {
  let nobody: string
  beforeAll(async () => {
    const gone = createServer()
    await new Promise<void>((listening) => gone.listen(0, '127.0.0.1', listening))
    nobody = originOf(gone)
    gone.close()
  })

  const rows: [string, () => string[], number, RegExp][] = [
    [
      'a page that is right',
      () => [pages['hosted-page']!],
      0,
      /is as Ripper Checkout \d\S+ serves it \(The hosted page\)\. Compared:\n {2}its scripts: checkout\.js \(linked\), pay\.js \(linked\)\n/,
    ],
    [
      'a page that is not there',
      () => [`${service.base_url}/pay/nobody`],
      1,
      /is not as Ripper Checkout \S+ serves it \(The hosted page\):\n {2}The answer is 404, not 200\.\n/,
    ],
    [
      'a redirect',
      () => [`${service.base_url.replace('127.0.0.1', 'localhost')}/demo`],
      1,
      /The answer is 302 and leads to http:\/\/127\.0\.0\.1:\d+\/demo, not 200\./,
    ],
    ['nobody there', () => [`${nobody}/demo`], 1, /cannot be read: ECONNREFUSED/],
    ['another page than is named', () => [pages['demo-shop']!, '--page', 'hosted-page'], 1, /pay\.js/],
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
      () => [pages['hosted-page']!, '--origin', shop],
      2,
      /--origin is of no use for The hosted page/,
    ],
    [
      'the card fields, without origins named',
      () => [pages['card-fields']!],
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
    const { status, stdout } = await ripper(['page', 'check', `${service.base_url}/pay/x`, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      url: `${service.base_url}/pay/x`,
      page: 'hosted-page',
      release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      checked: [],
      not_checked: [],
      differences: ['The answer is 404, not 200.'],
    })
  })
})
