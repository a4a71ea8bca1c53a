import { expect, test } from 'vitest'
import { logForPeople } from './log-lines.ts'

const time = '2026-11-27T10:20:30.123Z'

test.each<[string, object[], string[]]>([
  [
    'a request',
    [{ level: 30, time, route: '/v1/payments', status: 200, msg: 'request' }],
    ['10:20:30 info  request route=/v1/payments status=200'],
  ],
  [
    'a first start’s migrations, once',
    [
      { level: 30, time, migration: 'schema', msg: 'migrated' },
      { level: 30, time, migration: '0036_more.sql', msg: 'migrated' },
      { level: 40, time, msg: 'traces lost' },
    ],
    ['10:20:30 info  migrated migrations=2', '10:20:30 warn  traces lost'],
  ],
  [
    'what would turn a terminal',
    [{ level: 50, time, error: 'a\u001b[31m\nb', detail: { left: ['x'] }, msg: 'stop failed' }],
    ['10:20:30 ERROR stop failed error="a\\u001b[31m\\nb" detail={ left: [ \'x\' ] }'],
  ],
])('%s', (_, lines, shown) => {
  const said: string[] = []
  const log = logForPeople({ write: (text) => said.push(text) })
  for (const line of lines) log.write(`${JSON.stringify(line)}\n`)
  expect(said).toEqual(shown.map((line) => `${line}\n`))
})
