// `ripper orphan …`, as a user types it, on the database of a service that reverses nothing by itself.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { beforeEach, describe, expect, test } from 'vitest'
import { rowValues } from '../../src/database/driver/rows.ts'
import { newOrphan, type Orphan } from '../../src/payments/orphan.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const env = settingsOf(service, master_key)
beforeEach(() => service.sql`truncate orphan_authorisations, orphan_brakes, orphan_sweeps`)

const answer = (...args: string[]) => answerOf(['orphan', ...args], { env })
const run = (...args: string[]) => ripper(['orphan', ...args], { env })

const minute_ms = 60_000
const ago = (ms: number) => new Date(Date.now() - ms)

/** Held back, unless something else is asked for. */
async function insertOrphan(asked: Partial<Orphan> = {}): Promise<Orphan> {
  const { ids } = service.context
  const now = ago(5 * minute_ms)
  const found = {
    acquirer: 'simulator',
    reference: ids.operation(now),
    mode: 'test' as const,
    amount: 4200,
    currency: 'GBP',
    authorised_at: ago(9 * minute_ms),
    merchant_id: null,
    payment_id: null,
  }
  const opened = newOrphan(found, { operation_id: ids.operation(now), now })
  const orphan = { ...opened, held_back_at: asked.merchant_id ? null : now, ...asked }
  await service.sql`insert into orphan_authorisations ${rowValues(service.sql, orphan)}`
  return orphan
}

const due = { merchant_id: 'm_a', payment_id: `pay_${'a'.repeat(24)}`, next_try_at: new Date() }
const found = { held_back_at: null }
const settled = { next_try_at: null, settled_at: new Date() }
const left = { ...settled, state: 'left' as const, left_by: 'ada', left_reason: 'they are paid' }

const stateOf = async ({ reference }: Orphan) => {
  const [row] = await service.sql`select * from orphan_authorisations where reference = ${reference}`
  return row
}

/** One of each kind. */
async function insertAll() {
  return {
    held: await insertOrphan(),
    due: await insertOrphan({ ...due, tries: 3, last_failure: 'no answer\nat all', acquirer_transaction_id: 'psp_7' }),
    reversed: await insertOrphan({ ...settled, state: 'reversed', tries: 1 }),
    nothing: await insertOrphan({
      ...settled,
      state: 'nothing_to_reverse',
      authorised_at: null,
      tries: 12,
      amount: 99_999_999_999,
      last_failure: 'x'.repeat(300),
    }),
    left: await insertOrphan({ ...left, acquirer: 'bank', mode: 'live' }),
  }
}

describe('list', () => {
  test('shows what is not settled, and with --all everything', async () => {
    const made = await insertAll()
    expect(await answer('list')).toEqual({
      due: 1,
      unreversed: 0,
      held_back: 1,
      has_more: false,
      brakes: [],
      sweeps: [],
      orphans: [
        {
          acquirer: 'simulator',
          reference: made.held.reference,
          mode: 'test',
          amount: 4200,
          currency: 'GBP',
          merchant_id: null,
          payment_id: null,
          state: 'held_back',
          tries: 0,
          acquirer_transaction_id: null,
          authorised_at: expect.any(String),
          found_at: expect.any(String),
          next_try_at: null,
          last_failure: null,
          settled_at: null,
          left_by: null,
          left_reason: null,
          released_by: null,
          released_at: null,
        },
        expect.objectContaining({
          reference: made.due.reference,
          state: 'due',
          tries: 3,
          payment_id: due.payment_id,
          last_failure: 'no answer\nat all',
          next_try_at: expect.any(String),
          acquirer_transaction_id: 'psp_7',
        }),
      ],
    })
    const { orphans } = await answer('list', '--all')
    expect(new Set(orphans.map(({ state }: { state: string }) => state))).toEqual(
      new Set(['held_back', 'due', 'reversed', 'nothing_to_reverse', 'left']),
    )
    const ofBank = await answer('list', '--all', '--acquirer', 'bank')
    expect(ofBank).toMatchObject({ due: 0, held_back: 0, orphans: [{ left_by: 'ada' }] })
  })

  test('prints the same for people, in 120 columns', async () => {
    const made = await insertAll()
    const { stdout } = await run('list', '--all')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    const row = (words: string) => expect.stringMatching(words)
    expect(stdout).toEqual(row(`simulator +${made.held.reference} +GBP 42.00 .* held back\n`))
    expect(stdout).toEqual(row(`${made.due.reference} .* due\n +psp_7 at the acquirer\n +of pay_a+, merchant m_a\n`))
    expect(stdout).toEqual(row(' +tried 3 times, again at \\S+Z: no answer at all\n'))
    expect(stdout).toEqual(row('GBP 999999999.99 +– .* nothing to reverse\n +tried 12 times: x+…\n'))
    expect(stdout).toEqual(row('bank .* left\n +left by ada: they are paid\n'))
    expect(stdout).toEqual(row('Held back: 1\\.'))
  })

  test('what a sweep has just found is not held back yet', async () => {
    const { reference } = await insertOrphan(found)
    const page = await answer('list')
    expect(page).toMatchObject({ due: 0, held_back: 0, orphans: [{ reference, state: 'found' }] })
    expect((await run('list')).stdout).toMatch(/ just found\n$/)
    expect((await run('reverse', reference)).stderr).toBe(
      `${reference}  not released: the search that found it goes on, and may hold it back\n`,
    )
  })

  test('ends at the given number', async () => {
    for (const _ of [1, 2, 3]) await insertOrphan()
    const page = await answer('list', '--limit', '2')
    expect(page).toMatchObject({ has_more: true, held_back: 3 })
    expect(page.orphans).toHaveLength(2)
    expect((await run('list', '--limit', '2')).stdout).toContain('There are more: --limit')
  })

  test('of nothing says so', async () => {
    expect((await run('list')).stdout).toMatch(/^There is no orphan; --all/)
    expect((await run('list', '--all')).stdout).toBe('There was never an orphan.\n')
  })
})

describe('reverse', () => {
  test('releases what is named, and says what it did not', async () => {
    const made = await insertAll()
    const { status, stdout, stderr } = await run(
      'reverse',
      ...[made.held, made.due, made.nothing].map(({ reference }) => reference),
    )
    expect(status).toBe(1)
    expect(stdout).toMatch(/^1 authorisation is due now/)
    expect(stderr).toContain(`${made.due.reference}  not released: it is due, and the service reverses it\n`)
    expect(stderr).toContain(`${made.nothing.reference}  not released: there was nothing to reverse\n`)
    expect(await stateOf(made.held)).toMatchObject({
      state: 'found',
      next_try_at: expect.any(Date),
    })
    expect(await answer('reverse', made.left.reference)).toEqual({ released: 1, refused: [] })
    const { orphans } = await answer('list', '--acquirer', 'bank')
    const { username } = userInfo()
    expect(orphans).toMatchObject([
      { state: 'due', left_by: 'ada', released_by: username, released_at: expect.any(String) },
    ])
    const { stdout: shown } = await run('list', '--acquirer', 'bank')
    expect(shown).toMatch(/left by ada: they are paid\n +released at \S+Z by /)
  })

  test('releases all that are held back, of an acquirer or any', async () => {
    for (const acquirer of ['simulator', 'simulator', 'bank']) await insertOrphan({ acquirer })
    await insertOrphan(left)
    const first = await answer('reverse', '--held-back', '--acquirer', 'bank')
    expect(first).toEqual({ released: 1, refused: [] })
    const { status, stdout } = await run('reverse', '--held-back')
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^2 authorisations are due now/)])
    expect((await run('reverse', '--held-back')).stdout).toBe('None is held back.\n')
  })
})

describe('leave', () => {
  test('settles what is named, whether it is held back or due', async () => {
    const made = await insertAll()
    const none = '0'.repeat(32)
    const asked = ['leave', made.held.reference, made.due.reference, '--reason', ' they are paid ']
    expect(await answer(...asked)).toEqual({ left: 2, refused: [] })
    const { username } = userInfo()
    const expected = { state: 'left', left_by: username, left_reason: 'they are paid' }
    expect(await stateOf(made.held)).toMatchObject(expected)
    expect(await stateOf(made.due)).toMatchObject({ ...expected, next_try_at: null })
    const { status, stdout, stderr } = await run(...asked, none)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${made.held.reference}  not left: it was left before\n`)
    expect(stderr).toContain(`${none}  not left: there is none of this reference\n`)
  })

  test('settles all that are held back', async () => {
    const made = await insertAll()
    await insertOrphan()
    const { stdout } = await run('leave', '--held-back', '--reason', 'they are paid')
    expect(stdout).toBe('2 authorisations are left: nothing reverses them.\n')
    expect(await stateOf(made.due)).toMatchObject({ state: 'found' })
  })
})

describe('brake', () => {
  const { username } = userInfo()
  const reason = ['--reason', ' backup put back ']

  test('is pulled, holds back what is due, and is shown until it is released', async () => {
    const held = await insertOrphan({ held_back_at: null, next_try_at: new Date() })
    const other = await insertOrphan({ acquirer: 'bank', held_back_at: null, next_try_at: new Date() })
    const brake = {
      acquirer: '*',
      pulled_at: expect.any(String),
      pulled_by: username,
      reason: 'backup put back',
      released_at: null,
      released_by: null,
    }
    expect(await answer('brake', ...reason)).toEqual({ brake, is_new: true, held_back: 2 })
    for (const each of [held, other]) {
      expect(await stateOf(each)).toMatchObject({ next_try_at: null, state: 'found' })
    }
    const [{ pulled_at }] = (await answer('list')).brakes
    const again = await run('brake', ...reason)
    expect([again.status, again.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^It was pulled already, and counts from now on: the brake of every .*: backup put back\n$/,
      ),
    ])
    await service.sql`insert into orphan_sweeps values ('simulator', '2026-08-02T12:00:00Z')`
    expect(await answer('list')).toMatchObject({
      held_back: 2,
      brakes: [brake],
      sweeps: [{ acquirer: 'simulator', swept_until: '2026-08-02T12:00:00.0000000+00:00' }],
    })
    const doctor = await ripper(['doctor', '--json', '--base-url', service.base_url], { env })
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({
        name: 'Orphans',
        status: 'problem',
        found: expect.stringMatching(/^2 authorisations .*; brake of every acquirer is pulled at/),
      }),
    )
    const { stdout } = await run('list')
    expect(stdout).toMatch(
      /\n\nThe brake of every acquirer is pulled at \S+Z by .*: backup put back\nGone through: simulator up to 2026-08-02T12:00:00Z\.\n/,
    )
    await service.sql`update orphan_sweeps set acquirer = 'bank'`
    const not_yet = /\nGone through: bank up to 2026-08-02T12:00:00Z\. Not yet: simulator\.\n/
    expect((await run('list')).stdout).toMatch(not_yet)
    const released = { ...brake, released_at: expect.any(String), released_by: username }
    const end = { released: [released], pulled: [], held_back: 2 }
    const too_early = await run('release')
    expect([too_early.status, too_early.stderr]).toEqual([
      1,
      expect.stringMatching(/ Not yet: simulator\. What is found after the release may be reversed/),
    ])
    await service.sql`update orphan_sweeps set acquirer = 'simulator', swept_until = pulled_at from orphan_brakes
      where released_at is null`
    expect((await run('release')).status).toBe(1)
    await service.sql`update orphan_sweeps set swept_until = swept_until + interval '1 ms'`
    expect(await answer('release')).toEqual(end)
    expect(await answer('list')).toMatchObject({ held_back: 2, brakes: [] })
    expect(await answer('list', '--all')).toMatchObject({
      brakes: [released, { ...released, pulled_at }],
    })
    expect((await run('release')).stdout).toMatch(/^None is pulled\.\nStill held back: 2\./)
  }, 60_000)

  test('is one for each acquirer, beside that of all', async () => {
    const due = { held_back_at: null, next_try_at: new Date() }
    await insertOrphan({ ...due, acquirer: 'bank' })
    const own = await run('brake', ...reason, '--acquirer', 'simulator')
    expect(own.stdout).toMatch(/^The brake of simulator is pulled at \S+Z by .*: backup put back\n$/)
    expect(await answer('brake', ...reason)).toMatchObject({ is_new: true, held_back: 1 })
    expect((await answer('list', '--acquirer', 'bank')).brakes).toMatchObject([{ acquirer: '*' }])
    await service.sql`delete from orphan_sweeps`
    expect((await run('release', '--acquirer', 'simulator')).status).toBe(1)
    const { stdout } = await run('release', '--acquirer', 'simulator', '--anyway')
    expect(stdout).toMatch(
      /^The brake of simulator was pulled .*; released at \S+Z by .*\nThe brake of every acquirer is pulled/,
    )
    const { status, stderr } = await run('release', '--acquirer', 'simulator')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Leave out --acquirer/)])
    expect((await run('release', '--anyway')).stdout).toMatch(/^The brake of every acquirer was pulled/)
    expect((await run('list')).stdout).not.toMatch(/brake/)
  }, 60_000)
})

describe('refused', () => {
  const reference = '0'.repeat(32)
  const reason = ['--reason', 'they are paid']

  test.each<[string, string[], string]>([
    ['reverse nothing', ['reverse'], 'needs a REFERENCE, or --held-back'],
    ['reverse both', ['reverse', reference, '--held-back'], '--held-back goes without'],
    ['reverse what is no reference', ['reverse', reference, 'x'], 'REFERENCE must be 32'],
    ['leave nothing', ['leave', ...reason], 'needs a REFERENCE, or --held-back'],
    ['pull the brake of nobody', ['brake', ...reason, '--acquirer', 'bank'], '--acquirer must be one of simulator'],
    ['let go of the brake of nobody', ['release', '--acquirer', 'bank'], '--acquirer must be one'],
  ])(
    'to %s',
    async (_, args, words) => {
      const ended = await run(...args)
      expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining(words)])
    },
    15_000,
  )
})
