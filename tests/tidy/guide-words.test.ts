// What guides, README and llms.txt name exists: files, headings, commands with their options, settings, metrics, routes, events.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { allSettings } from '../../src/config/config.ts'
import { eventTypes } from '../../src/kernel/values.ts'
import { routes, streams } from '../../src/routes.ts'
import { operationalPages } from '../../src/service/operational.ts'
import { type Service, startService } from '../support/service.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const guides = ['', 'connect/', 'operations/'].flatMap((folder) =>
  readdirSync(join(root, 'docs', folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name),
)
const paths = ['llms.txt', 'README.md', 'SECURITY.md', 'sdk/README.md'].concat(guides.map((name) => `docs/${name}`))

/** Code in a line or in a block, continued lines joined. */
function codesOf(text: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, '')
  const blocks = [...joined.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code]) => code!)
  const rest = joined.replaceAll(/```[\s\S]*?```/g, '')
  const inline = [...rest.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll('\n', ' '))
  return [...blocks.flatMap((block) => block.split('\n')), ...inline]
}

/** Links as they stand, without those to elsewhere. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^https?:/.test(link))
}

/** A heading's anchor, as GitHub makes it. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** Says what is wrong with a `ripper …` in a piece of code; null where nothing is. */
function faultOf(call: string): string | null {
  const [first = '', second = ''] = call.split(/\s+/)
  const named = commands.find(({ name }) => name === first || name === `${first} ${second}`)
  if (!named) {
    const group = commands.filter(({ name }) => name.startsWith(`${first} `))
    return group.length > 0 && !/^[a-z][a-z-]+$/.test(second) ? null : `ripper ${call}`
  }
  const options = [...call.matchAll(/(?<=\s)--([a-z-]+)/g)].map(([, option]) => option!)
  const known = [...Object.keys(named.options), 'json', 'help']
  const wrong = options.filter((option) => !known.includes(option))
  return wrong.length === 0 ? null : `ripper ${named.name} --${wrong.join(' --')}`
}

describe.each(paths)('%s', (path) => {
  const text = read(path)
  const codes = codesOf(text)

  test('leads to files and headings that exist', () => {
    const wrong = linksOf(text).filter((link) => {
      const [file, anchor] = link.replace(/#gh-(light|dark)-mode-only$/, '').split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file!))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
    })
    expect(wrong).toEqual([])
  })

  test('names commands and options that exist', () => {
    const calls = codes.flatMap((code) =>
      [...code.matchAll(/(?:^|[\s(])ripper ([a-z][^|;)#]*)/g)].map(([, call]) => call!),
    )
    expect(calls.map(faultOf).filter((fault) => fault !== null)).toEqual([])
  })

  test('names settings, metrics, events and routes that exist', () => {
    const settings = new Set(allSettings.map(({ name }) => name as string))
    // A shop's own.
    settings.add('RIPPER_WEBHOOK_SECRET')
    settings.add('RIPPER_PUBLISHABLE_KEY')
    const named = text.match(/\bRIPPER_[A-Z_]+\b/g) ?? []
    expect(named.filter((name) => !settings.has(name))).toEqual([])

    const metrics = read('src/http/metrics.ts')
    const measured = text.match(/`ripper_\w+(?=[`{])/g) ?? []
    const unmeasured = measured.filter((name) => !metrics.includes(`'${name.slice(1)}'`))
    // A member of an error, not a metric.
    expect(unmeasured.filter((name) => name !== '`ripper_code')).toEqual([])

    const events = text.match(/(?<=[`']|trigger )payment\.[a-z]+\b/g) ?? []
    const others = events.filter((name) => !eventTypes.some((type) => type === name))
    expect(others.filter((name) => !/^payment\.(status|amount)$/.test(name))).toEqual([])

    const plain = (route: string) => route.replaceAll(/\{\w+\}/g, '{}')
    const known = [...routes, ...streams].map(({ method, path }) => plain(`${method} ${path}`))
    const asked = codes.flatMap((code) => code.match(/\b(GET|POST|DELETE) \/v1\/[\w/{}]+/g) ?? [])
    // Its requests go to the vendors.
    if (path === 'docs/connect/faults.md') return
    expect(asked.filter((route) => !known.includes(plain(route)))).toEqual([])
  })
})

describe('served', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  test('llms.txt is the repository’s, and every link in it leads to the file that it names', async () => {
    const address = new URL('/llms.txt', service.base_url)
    const answer = await fetch(address)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await answer.text()
    expect(text).toBe(read('llms.txt'))
    const links = linksOf(text)
    expect(links.length).toBeGreaterThan(10)
    for (const link of links) {
      const linked = await fetch(new URL(link, address))
      expect([link, linked.status]).toEqual([link, 200])
      expect(await linked.text()).toBe(read(link))
    }
  })

  test('the README’s picture comes as it is', async () => {
    const answer = await fetch(`${service.base_url}/docs/checkout.webp`)
    const { headers } = answer
    expect(headers.get('content-type')).toBe('image/webp')
    expect(headers.get('content-encoding')).toBeNull()
    const picture = readFileSync(join(root, 'docs/checkout.webp'))
    expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).toBe(true)
  })

  test('llms.txt names every guide', () => {
    const links = linksOf(read('llms.txt'))
    expect(guides.map((name) => `docs/${name}`).filter((path) => !links.includes(path))).toEqual([])
  })

  test('from guide to guide no link is dead', () => {
    const served = operationalPages({ now: false }).map(({ path }) => path)
    for (const path of paths) {
      const targets = linksOf(read(path)).map((link) => {
        return new URL(link, new URL(path, 'http://127.0.0.1/')).pathname
      })
      expect(targets.filter((target) => !served.includes(target))).toEqual([])
    }
  })
})

const proxies = paths.flatMap((path) =>
  [...read(path).matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, block]) => [path, block!] as const),
)

test('there is one proxy, which other pages link to', () => {
  expect(proxies.map(([path]) => path)).toEqual(['docs/operations/proxy.md'])
})

test.each(proxies)('the proxy of %s lets nobody send a result without a bank’s certificate', (_, block) => {
  expect(block).toMatch(/^ {2}ssl_client_certificate \S+;\n {2}ssl_verify_client optional;\n/m)
  const [, results] = /^ {2}location = \/3ds\/results \{\n([\s\S]*?)^ {2}\}/m.exec(block) ?? []
  expect(results).toMatch(/^ {4}if \(\$ssl_client_verify != SUCCESS\) \{ return 403; \}$/m)
})
