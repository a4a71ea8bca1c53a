// The house's rules, held: who may import whom, what may be called where, how large a file may grow.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const files = listFiles('src').filter((file) => !isTest(file))
const others = ['tests', 'proofs', 'bench', 'web', 'sdk'].flatMap(listFiles)
const dashboard = listFiles('web/dashboard').filter((file) => !isTest(file))
const texts = new Map([...files, ...others].map((file) => [file, readFileSync(resolve(root, file), 'utf8')]))

function listFiles(folder: string): string[] {
  return readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, resolve(entry.parentPath, entry.name)))
}

type Import = { target: string; type_only: boolean }

function importsOf(file: string): Import[] {
  const found = texts.get(file)!.matchAll(/^(?:import|export) (type )?[^'"]*?from '([^']+)'/gms)
  return [...found].map(([statement, type, target]) => ({
    target: target!.startsWith('.') ? relative(root, resolve(root, dirname(file), target!)) : target!,
    type_only: type !== undefined || /\{(\s*type \w+( as \w+)?,?)+\s*\}/s.test(statement!),
  }))
}

/** The rooms of the house, and the rooms that each may import from. Wiring may import everything. */
const rooms: Record<string, string[]> = {
  kernel: [],
  config: ['kernel'],
  outgoing: ['kernel', 'config'],
  'vendor-wire': ['kernel'],
  acquirers: ['kernel', 'cards', 'vendor-wire'],
  'three-ds': ['kernel', 'cards', 'vendor-wire', 'acquirers'],
  cards: ['kernel'],
  database: ['kernel', 'config', 'acquirers', 'three-ds'],
  audit: ['kernel', 'database'],
  http: ['kernel', 'database'],
  merchants: ['kernel', 'audit', 'database', 'http'],
  connections: ['kernel', 'audit', 'context', 'database', 'merchants', 'vendor-wire', 'acquirers', 'three-ds'],
  context: ['kernel', 'database', 'http', 'merchants'],
  webhooks: ['kernel', 'audit', 'context', 'database', 'http', 'merchants'],
  payments: [
    ...['kernel', 'audit', 'context', 'database', 'http', 'merchants', 'connections'],
    ...['acquirers', 'three-ds', 'cards', 'webhooks', 'outgoing'],
  ],
  payouts: ['kernel', 'audit', 'context', 'database', 'http', 'merchants', 'connections', 'payments'],
  compatible: ['kernel', 'audit', 'context', 'database', 'http', 'merchants', 'payments', 'webhooks'],
  users: ['kernel', 'config', 'audit', 'context', 'database', 'http', 'merchants'],
  dashboard: [
    ...['kernel', 'audit', 'context', 'database', 'http', 'merchants', 'connections', 'webhooks'],
    ...['cards', 'payments', 'payouts', 'users'],
  ],
  pages: ['kernel', 'context', 'database', 'http', 'merchants', 'payments'],
  'documents/openapi': ['kernel', 'http'],
  'documents/site': ['kernel', 'http', 'documents/openapi'],
}
const folderOf = (file: string) => file.split('/')[1]!
const isInRoom = (file: string) => file.split('/').length > 2

/** How many files of each room others import: a number here only ever goes down. */
const doors: Record<string, number> = {
  acquirers: 15,
  audit: 7,
  cards: 5,
  compatible: 3,
  config: 7,
  connections: 10,
  dashboard: 7,
  database: 33,
  documents: 5,
  http: 37,
  kernel: 16,
  merchants: 19,
  outgoing: 8,
  pages: 14,
  payments: 116,
  payouts: 9,
  service: 13,
  'three-ds': 8,
  users: 27,
  'vendor-wire': 1,
  webhooks: 30,
}

/** The folders of a room, each of which may import those before it and the room's own files, which come first. */
const floors: Record<string, string[]> = {
  payments: [
    ...['limits', 'sessions', 'cards', 'receipts', 'authentication', 'reading', 'checkout-sessions', 'payment-links'],
    ...['acquirer-operations', 'charging', 'holds', 'disputes', 'refunds'],
    ...['orphans', 'acquirer-comparison', 'notices', 'history'],
  ],
  webhooks: ['queue', 'endpoints', 'sending', 'deliveries', 'stream'],
}
const wiring = ['routes', 'documents', 'jobs', 'service', 'main', 'cli']

function roomOf(file: string): string {
  const [, room, inner] = file.replace(/\.ts$/, '').split('/')
  const narrow = `${room}/${inner}`
  return narrow in rooms ? narrow : room!
}

describe('imports', () => {
  test('every file stands in a known room', () => {
    const known = [...Object.keys(rooms), ...wiring]
    expect(files.filter((file) => !known.includes(roomOf(file)))).toEqual([])
  })

  test('rooms import only from the rooms below them', () => {
    const wrong = files.flatMap((file) => {
      const room = roomOf(file)
      if (wiring.includes(room)) return []
      return importsOf(file)
        .filter(({ target }) => target.startsWith('src/'))
        .filter(({ target }) => roomOf(target) !== room && !rooms[room]!.includes(roomOf(target)))
        .map(({ target }) => `${file} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(floors))('inside %s no folder looks up', (room, folders) => {
    const floorOf = (file: string) => {
      const [, , folder, name] = file.split('/')
      return name === undefined ? -1 : folders.indexOf(folder!)
    }
    const own = files.filter((file) => file.startsWith(`src/${room}/`))
    const known = readdirSync(resolve(root, 'src', room), { withFileTypes: true })
    expect(known.flatMap((each) => (each.isDirectory() ? [each.name] : [])).sort()).toEqual(folders.toSorted())
    const wrong = own.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.startsWith(`src/${room}/`))
        .filter(({ target }) => floorOf(target) > floorOf(file))
        .map(({ target }) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('rooms that do not act import only types from context.ts and ports', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(
          ({ target, type_only }) =>
            !type_only &&
            (/^src\/(payments\/)?context\.ts$/.test(target) ||
              (roomOf(file) === 'database' && /^src\/(acquirers|three-ds)\//.test(target))),
        )
        .map(({ target }) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test.each([
    [
      'payments',
      [
        'purchase',
        'session',
        'checkout-session',
        'checkout-event',
        'payment-link',
        'attempt',
        'three-ds-states',
        'payment',
        'refund',
        'dispute',
        'vault-card',
        'whole-payment',
        'operation',
        'hold',
        'outcome',
        'confirm-result',
        'acquirer-operations/next-step',
        'backoff',
        'orphan',
        'orphan-candidates',
        'comparison',
        'event',
        'event-view',
        'bound-money',
        'fields',
        'views',
        'receipts/receipt',
        'reading/list-filters',
        'reading/owed-refunds',
        'reading/paid-out',
        'reading/line-look',
        'reading/compared-payment',
        'reading/compared-refund',
        'reading/money-fault',
        'sessions/price-check',
      ],
    ],
    [
      'webhooks',
      [
        'endpoint',
        'delivery',
        'queue/claimed-delivery',
        'stream/trail',
        'stream/streamed-event',
        'sending/retry-schedule',
        'sending/signature',
        'sending/breaker',
      ],
    ],
  ])('inside %s a noun imports nothing that acts, and a store no verb', (room, names) => {
    const nouns = names.map((name) => `src/${room}/${name}.ts`)
    const stores = files.filter((file) => roomOf(file) === room && /\/([\w-]+-)?store\.ts$/.test(file))
    expect(stores.length).toBeGreaterThan(2)
    const wrong = [...nouns, ...stores].flatMap((file) =>
      importsOf(file)
        .filter(
          ({ target }) =>
            target.startsWith(`src/${room}/`) &&
            !nouns.includes(target) &&
            !(stores.includes(file) && stores.includes(target)),
        )
        .map(({ target }) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('no room has more doors than before', () => {
    const importers = Map.groupBy(
      files.flatMap((file) => importsOf(file).map(({ target }) => ({ file, target }))),
      ({ target }) => target,
    )
    const isDoor = (file: string) =>
      importers.get(file)?.some((each) => folderOf(each.file) !== folderOf(file)) ?? false
    const open = Map.groupBy(
      files.filter((file) => isInRoom(file) && isDoor(file)),
      folderOf,
    )
    const listed = [...open].map(([room, all]) => `${room} ${all.length === doors[room] ? all.length : all.join(' ')}`)
    expect(listed.toSorted()).toEqual(Object.entries(doors).map(([room, count]) => `${room} ${count}`))
  })

  test('no circle, not even of types', () => {
    expect(cycles()).toEqual([])
  })
})

/** Files in a circle of imports, and those from which one is reached. */
function cycles(): string[] {
  const targetsOf = new Map([...texts.keys()].map((file) => [file, importsOf(file).map(({ target }) => target)]))
  // A file that imports nothing, or only files without a circle, is in none itself.
  for (let before = Number.POSITIVE_INFINITY; targetsOf.size < before; ) {
    before = targetsOf.size
    for (const [file, targets] of targetsOf) {
      if (!targets.some((target) => targetsOf.has(target))) targetsOf.delete(file)
    }
  }
  return [...targetsOf.keys()]
}

/** What may be said in one place only: a pattern, and the files that may say it. */
const reserved: [string, RegExp, RegExp][] = [
  ['the environment', /process\.env\b/, /^src\/config\/config\.ts$/],
  ['the clock', /\bDate\.now\(|new Date\(\)|performance\.now/, /^src\/outgoing\/real-world\.ts$/],
  [
    'timers',
    /(?<!\bsocket\.)\bset(Timeout|Interval)\(|timers\/promises/,
    /^src\/(outgoing\/real-world|database\/driver\/(connections|dial|driver|session))\.ts$/,
  ],
  [
    'randomness',
    /Math\.random|randomBytes|randomUUID|getRandomValues/,
    /^src\/(outgoing\/real-world|database\/.*)\.ts$/,
  ],
  [
    'outgoing requests',
    /\bfetch\(|from 'undici'/,
    /^src\/outgoing\/(real-world|exchange|vendor-http|guarded-http|guarded-http\/\w+)\.ts$/,
  ],
  ['outgoing mail', /from 'nodemailer/, /^src\/outgoing\/mail\/smtp\.ts$/],
  ['the console', /\bconsole\./, /^$/],
  ['standard output', /process\.std(out|err)/, /^src\/cli\//],
  ['the database driver', /from 'pg'/, /^src\/database\//],
  ['Fastify', /from '@?fastify/, /^src\/(http\/|service\/(assemble|listen)\.ts)/],
  ['traces', /'@opentelemetry\//, /^src\/outgoing\/tracing\//],
  ['metrics', /from 'prom-client'/, /^src\/http\/metrics\.ts$/],
]

test.each(reserved)('%s in one place', (_name, pattern, allowed) => {
  const wrong = files.filter((file) => pattern.test(code(file)) && !allowed.test(file))
  expect(wrong).toEqual([])
})

test('no function is written where it is assigned to a member, which would make it outlive the young heap', () => {
  // Made once, when the address of the database is read.
  const once = 'src/config/database-address.ts'
  const assigned = /^\s*[\w.]+\.\w+ = (async )?(function\b|\w+ =>|\([^()]*\)(: [\w<>]+)? =>)/m
  expect(assigned.test('  query.resolve = (result) => {')).toBe(true)
  const wrong = files.filter((file) => file !== once && assigned.test(code(file)))
  expect(wrong).toEqual([])
  expect(assigned.test(code(once))).toBe(true)
})

test("no statement asks the database's clock or randomness, but the one that compares clocks", () => {
  const sql = files.filter((file) => file.startsWith('src/database/') || texts.get(file)!.includes('sql`'))
  const migrations = ['src/database/migrations', 'src/database/schema'].flatMap((folder) =>
    readdirSync(resolve(root, folder)).map((name) => `${folder}/${name}`),
  )
  const asks = /\b(now\(\)|current_timestamp|clock_timestamp|gen_random_uuid|random\(\))/i
  const found = [...sql, ...migrations].filter((file) =>
    asks.test(readFileSync(resolve(root, file), 'utf8').replace(/clock\.now\(\)|^\s*(\/\/|--|\*).*$/gm, '')),
  )
  expect(found).toEqual(['src/database/clock/read-clocks.ts'])
})

test('files stay small', () => {
  const large = [
    ...files,
    ...listFiles('src').filter(isTest),
    ...listFiles('tests'),
    ...listFiles('proofs'),
    ...listFiles('web'),
  ].filter((file) => readFileSync(resolve(root, file), 'utf8').split('\n').length > 600)
  expect(large).toEqual([])
})

test('every file says at its top what it is for', () => {
  const told = [...files, ...dashboard]
  expect(told.filter((file) => !/^\/\/ \S/.test(texts.get(file)!))).toEqual([])
})

test('no default exports, enums, or names that say nothing', () => {
  const words = /export default|^\s*(export )?enum |\b\w*(Manager|Helper|Impl|Dto)\b|\b(utils|helpers)\b/m
  expect([...files, ...dashboard].filter((file) => words.test(code(file)))).toEqual([])
})

test('pages import nothing of the service; the dashboard only the types of its routes', () => {
  const pages = listFiles('web').filter((file) => !isTest(file))
  const wrong = pages.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => target.startsWith('src/'))
      .filter(
        ({ target, type_only }) => !(type_only && dashboard.includes(file) && target === 'src/dashboard/routes.ts'),
      )
      .map(({ target }) => `${file} → ${target}`),
  )
  expect(wrong).toEqual([])
})

test('the dashboard stands by itself, but for what all pages share', () => {
  const wrong = dashboard.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => target.startsWith('web/'))
      .filter(({ target }) => !/^web\/(dashboard|shared|words\/dashboard)\//.test(target))
      .map(({ target }) => `${file} → ${target}`),
  )
  expect(wrong).toEqual([])
})

describe('the SDK', () => {
  const sources = listFiles('sdk/src')
  const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

  test('imports nothing but its own files and Node', () => {
    const wrong = sources.flatMap((file) =>
      [...read(file).matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'/g)]
        .map(([, target, dynamic]) => target ?? dynamic!)
        .filter((target) => !/^(node:[\w/]+|\.\/[\w-]+\.ts)$/.test(target))
        .filter((target) => !(isTest(file) && target === 'vitest'))
        .map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('keeps the house’s rules', () => {
    const large = sources.filter((file) => read(file).split('\n').length > 300)
    expect(large.filter((file) => !isTest(file) && !file.endsWith('/api-types.ts'))).toEqual([])
    expect(sources.filter((file) => !isTest(file) && !/^\/\/ \S/.test(read(file)))).toEqual([])
    const words = /export default|^\s*(export )?enum |process\.(env|std)|console\./m
    expect(sources.filter((file) => words.test(read(file)))).toEqual([])
  })
})

/** A file without its comments. */
function code(file: string): string {
  return texts.get(file)!.replace(/^\s*(\/\/|\/\*\*|\*).*$/gm, '')
}
