// A connection whose server stays silent is given up; a slow one is not.

import { expect, test } from 'vitest'
import { openLink } from '../../../proofs/wire/link.ts'
import { freshDatabase } from '../../../tests/support/database.ts'
import { socketOf, throughPort } from '../../../tests/support/database-proxy.ts'
import { connect } from './driver.ts'
import { openSilence } from './silence.ts'

const limit_ms = 20_000

/** A clock whose sleeps end on command. */
function steps() {
  let wake = () => {}
  const clock = {
    now: () => new Date(0),
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        wake = resolve
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  return {
    clock,
    async look(count: number) {
      for (let round = count; round > 0; round -= 1) {
        wake()
        await new Promise((turn) => setImmediate(turn))
      }
    },
  }
}

function open() {
  const { clock, look } = steps()
  const watched = {
    count: 1,
    is_watched: true,
    is_mute: false,
    looks: 0,
    given_up: 0,
    giveUp() {
      this.given_up += 1
      this.count = 0
    },
  }
  const silence = openSilence(clock, limit_ms, [watched])
  silence.begin()
  return { look, silence, watched }
}

type Opened = ReturnType<typeof open>

test('it is given up once, after the limit', async () => {
  const { look, watched } = open()
  await look(8)
  expect(watched.given_up).toBe(0)
  await look(1)
  expect(watched.given_up).toBe(1)
  await look(20)
  expect(watched.given_up).toBe(1)
})

test.each([
  ['that was answered', ({ watched }: Opened) => Object.assign(watched, { count: 0 }), 0],
  ['whose process stops', ({ silence }: Opened) => silence.close(), 0],
  ['that heard something', ({ watched }: Opened) => Object.assign(watched, { looks: 0 }), 0],
  ['that may take long', ({ watched }: Opened) => Object.assign(watched, { is_watched: false }), 0],
  ['of which nothing was heard', () => {}, 1],
])('one %s', async (_, happens, given_up) => {
  const fixture = open()
  await fixture.look(6)
  happens(fixture)
  await fixture.look(6)
  expect(fixture.watched.given_up).toBe(given_up)
})

test('what begins to wait after all was quiet is watched again', async () => {
  const { look, silence, watched } = open()
  watched.count = 0
  await look(3)
  watched.count = 1
  silence.begin()
  await look(9)
  expect(watched.given_up).toBe(1)
})

test.each([
  [
    'without a limit on its statements waits for its server',
    'set local statement_timeout = 0',
    'Connection terminated unexpectedly',
  ],
  ['with a shorter limit is given up like any other', 'set local statement_timeout = 5000', 'the server was silent'],
])('a transaction %s', async (_, setting, end) => {
  const fresh = await freshDatabase()
  const link = await openLink({ path: socketOf(fresh.url) })
  const { clock, look } = steps()
  const sql = connect(throughPort(fresh.url, link.port), { connections_max: 1, clock })
  const { promise: silent, resolve: fallSilent } = Promise.withResolvers<void>()
  const work = sql.begin(async (tx) => {
    await tx.unsafe(setting)
    link.break({ kind: 'half_open' })
    fallSilent()
    await tx`select 1`
  })
  const failure = work.catch((error: Error) => error.message)
  await silent
  await look(12)
  link.cut()
  expect(await failure).toBe(end)
  await sql.end()
  await link.close()
  await fresh.drop()
})
