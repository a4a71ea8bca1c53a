// No route costs more than it may, whatever somebody without a key sends, and SECURITY.md says what each may take.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { dearRoutes, measureRows, ratio_max, readMounted, recordingRoutes, short_form } from '../../bench/anonymous.ts'
import { startService, withDataFolder } from '../../bench/service.ts'
import { type BodyKind, bodyLimits } from '../../src/http/body-limits.ts'
import { freshDatabase } from '../support/database.ts'

/** They answer 200 to whatever they do not read, as a page in a hidden frame, or by their protocol. */
const not_reading = ['POST /3ds/method/:token/done', 'POST /3ds/results']
/** What is more than any body of the kind may be. */
const beyond_bounds = [
  ...['many values', 'many members', 'deep nesting', 'many pairs', 'a body that is too large'],
  'many parameters in the address',
]

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')

const database = await freshDatabase('migrated')
const { mounted, rows } = await withDataFolder(async (data_dir) => {
  const file = join(data_dir, 'routes')
  const service = await startService(data_dir, {
    command: [process.execPath, 'bin/ripper.mjs', 'serve', '--demo'],
    settings: {
      ...recordingRoutes(file),
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    },
  })
  const mounted = readMounted(file)
  const { rows } = await measureRows(service, mounted, short_form).finally(service.stop)
  return { mounted, rows }
})
afterAll(database.drop)

test('no request costs more than its route may', () => {
  expect(new Set(rows.map(({ route }) => route)).size).toBeGreaterThan(300)
  const dear = rows
    .filter(({ route, ratio }) => ratio > (dearRoutes[route]?.ratio_max ?? ratio_max))
    .map(({ route, what, ratio }) => `${route}, ${what}: ${ratio.toFixed(1)} plain creates`)
  expect(dear).toEqual([])
})

test('the measure finds what is dear', () => {
  const password = rows.filter(({ route, what }) => route.endsWith('/sign-in/password') && what === 'what it asks for')
  expect(password).toMatchObject([{ statuses: [401] }])
  expect(password[0]!.ratio).toBeGreaterThan(ratio_max)
})

test('what would be dear is refused, or its connection is closed', () => {
  const beyond = rows.filter(({ what }) => beyond_bounds.includes(what))
  expect(new Set(beyond.map(({ what }) => what))).toEqual(new Set(beyond_bounds))
  const isRefused = (status: number) => status === 0 || (status >= 400 && status < 500)
  const taken = beyond.filter(({ route, statuses }) => !not_reading.includes(route) && !statuses.every(isRefused))
  expect(taken.map(({ route, what, statuses }) => `${route}, ${what}: ${statuses}`)).toEqual([])
})

/** The cells of the rows of a table whose first cell is code. */
function tableRows(heading: string): string[][] {
  const table = page.slice(page.indexOf(heading)).split('\n\n')[0]!
  return table
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

test('SECURITY.md has each kind of body, with its bounds and its routes', () => {
  const cells = tableRows('| body | bytes |')
  const count = (text: string) => Number(text.replace(/,| KB/g, ''))
  const bounds = cells.map(([kind, bytes, values, pairs]) => [
    kind!.replaceAll('`', ''),
    { bytes: count(bytes!) * 1024, values: count(values!), pairs: count(pairs!) },
  ])
  expect(Object.fromEntries(bounds)).toEqual(
    Object.fromEntries(
      Object.entries(bodyLimits).map(([kind, { bytes, values, pairs }]) => [kind, { bytes, values, pairs }]),
    ),
  )
  for (const [kind, , , , routes] of cells) {
    const named = [...routes!.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path!)
    const name = kind!.replaceAll('`', '') as BodyKind
    if (name === 'none' || name === 'fields') continue
    const there = mounted.filter(({ body_kind }) => body_kind === name).map(({ url }) => url.replace(/:(\w+)/g, '{$1}'))
    expect([name, named.toSorted()]).toEqual([name, [...new Set(there)].sort()])
  }
})

test('no body is larger than 64 KB, but for those that are named', () => {
  const large = Object.entries(bodyLimits).filter(([, { bytes }]) => bytes > 64 * 1024)
  expect(large.map(([kind]) => kind)).toEqual(['basket', 'lines', 'list'])
  const others = mounted.filter(({ body_kind }) => !(body_kind in bodyLimits))
  expect(others).toEqual([])
})

test('SECURITY.md names the routes that may cost more, and why', () => {
  const named = tableRows('| route | plain creates, at most |').map(([route, most, why]) => [
    route!.replaceAll('`', ''),
    { ratio_max: Number(most), why },
  ])
  expect(Object.fromEntries(named)).toEqual(dearRoutes)
})
