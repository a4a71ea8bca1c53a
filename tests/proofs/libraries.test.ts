// The table of `npm run libraries`, through the libraries of Node and Python; and that it sees what does not fit.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { difference, kindOf } from '../../proofs/libraries/fits.ts'
import { type Library, libraries, Missing } from '../../proofs/libraries/libraries.ts'
import { playThrough } from '../../proofs/libraries/play.ts'
import { scenarios } from '../../proofs/libraries/scenarios.ts'
import { type Service, startService } from '../support/service.ts'

describe('the table', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ deliver: {} })
  })
  afterAll(() => service.close())

  const cache = join(homedir(), '.cache', 'ripper', 'libraries')
  const ofNode = libraries.filter(({ name }) => name.startsWith('node-'))
  const ofPython = libraries.filter(({ name }) => name === 'python')
  test.for([...ofNode, ...ofPython])('$name', async ({ prepare }, { skip }) => {
    const { outcomes } = await playThrough(service, commandOf(prepare, skip), scenarios)
    expect(outcomes.filter(({ fault }) => fault !== null)).toEqual([])
    expect(outcomes).toHaveLength(scenarios.length)
  })

  /** Only a library of npm must be there. */
  function commandOf(prepare: Library['prepare'], skip: (why: string) => never): string[] {
    try {
      return prepare({ cache, folders: {} })
    } catch (error) {
      if (error instanceof Missing) skip(error.message)
      throw error
    }
  }

  test.each([
    ['gives empty objects', { object: {} }],
    ['raises errors that say nothing', { error: { class: '', message: '' } }],
  ])('is held by no library that %s', async (_, answer) => {
    const first = { object: { version: '1.0.0', api_version: '2026-01-01' } }
    const program = `
      const answers = require('node:readline').createInterface({ input: process.stdin })
      answers.on('line', (line) => console.log(line.includes('"library"') ? first : other))
      const [first, other] = ${JSON.stringify([first, answer].map((each) => JSON.stringify(each)))}`
    const { outcomes } = await playThrough(service, [process.execPath, '-e', program, '--'], scenarios)
    expect(outcomes.filter(({ fault }) => fault === null)).toEqual([])
  })
})

test.each(libraries.filter(({ name }) => !name.startsWith('node-')))(
  '$name is skipped where a program is missing',
  (library) => {
    const { PATH } = process.env
    process.env.PATH = '/nowhere'
    try {
      expect(() => library.prepare({ cache: '/nowhere', folders: {} })).toThrow(
        new Missing(`${library.name === 'python' ? 'python3' : library.name} is missing`),
      )
    } finally {
      process.env.PATH = PATH
    }
  },
)

const intent = {
  id: 'cs_1',
  amount: 4200,
  latest_charge: { id: 'ch_1', paid: true },
  customer: null,
  lines: [{ n: 1 }],
}

test.each<[string, unknown, string | null]>([
  ['members that are there', { amount: 4200, lines: [{ n: 1 }] }, null],
  ['an id where the object is expanded', { latest_charge: 'ch_1' }, null],
  ['an id by its form', { latest_charge: /^ch_/ }, null],
  ['a number by its form', { amount: /^\d{4}$/ }, null],
  ['nothing', { customer: null, shipping: null }, null],
  ['another value', { amount: 4201 }, 'amount is 4200, not 4201'],
  ['another type', { amount: '4200' }, 'amount is 4200, not "4200"'],
  ['another id', { latest_charge: 'ch_2' }, 'latest_charge is {"id":"ch_1","paid":true}, not "ch_2"'],
  ['another form', { latest_charge: /^cs_/ }, 'latest_charge is {"id":"ch_1","paid":true}, not like /^cs_/'],
  ['something instead of nothing', { amount: null }, 'amount is 4200, not nothing'],
  ['a missing member', { currency: 'gbp' }, 'currency is undefined, not "gbp"'],
  ['a missing object', { shipping: { city: 'Bath' } }, 'shipping is undefined, not {"city":"Bath"}'],
  ['a member of a member', { latest_charge: { paid: false } }, 'latest_charge.paid is true, not false'],
  ['a longer list', { lines: [{ n: 1 }, { n: 2 }] }, 'lines has 1 members, not 2'],
])('fits: %s', (_, expected, fault) => {
  expect(difference(intent, expected)).toBe(fault)
})

test.each(['StripeInvalidRequestError', 'InvalidRequestError', 'InvalidRequestException'])(
  'the kind of a %s',
  (name) => {
    expect(kindOf({ class: name, message: '' })).toBe('InvalidRequest')
  },
)
