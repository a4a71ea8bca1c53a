// A database that has gone back, or was promoted or moved, pulls the brake: each sign, who notices it, and who tells it.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { asOwner } from '../../src/config/owner.ts'
import { connect } from '../../src/database/driver/driver.ts'
import { findHome } from '../../src/database/embedded/home.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { openMarkMemory, readMarkFile } from '../../src/database/rollback-detection/high-water-file.ts'
import { readServer } from '../../src/database/rollback-detection/high-water-store.ts'
import { keepInstallation } from '../../src/database/rollback-detection/installation.ts'
import { every_acquirer } from '../../src/payments/orphan.ts'
import { listBrakes, releaseBrakes } from '../../src/payments/orphans/orphan-brake-store.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { watchDatabase } from '../../src/payments/orphans/watch-database.ts'
import { freshDatabase } from '../support/database.ts'
import { hour_ms, minute_ms, untouched, useOrphanStage } from '../support/orphan-stage.ts'
import { removeData } from '../support/setup-database.ts'
import { quiet, realClock } from '../support/world.ts'

const stage = await useOrphanStage('reverse')
const { sql, clock, context, authorise, booksOf, sweepAfter, told, countStandings } = stage

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ripper-marks-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

/** As a process begins that serves this database. */
function startProcess(data_dir = folder, installation = 'ours') {
  const marks = openMarkMemory({ data_dir, installation }, context.world)
  const process = { ...context, marks }
  return {
    process,
    marks,
    /** A look, so much later. */
    async look(after_ms = 5_000, beforeBrake?: () => Promise<unknown>) {
      await clock.advance(after_ms)
      await watchDatabase(process, beforeBrake)
    },
  }
}

const brakes = () => listBrakes(sql, { acquirer: null, released_too: false })
const reasons = async () => (await brakes()).map(({ reason }) => reason)
const newest = async () => {
  const [row] = await sql<{ epoch: number; mark: string }[]>`
    select epoch, mark from high_water_marks order by epoch desc limit 1`
  return row
}

/** A copy of the marks as they are, to be put back later. */
async function backUp() {
  const rows = await sql`select * from high_water_marks`
  return async () => {
    await sql`delete from high_water_marks`
    await sql`insert into high_water_marks select * from json_populate_recordset(null::high_water_marks, ${rows as never}::json)`
  }
}

test('the database of another installation is noticed once, also after a person released the brake', async () => {
  const { look, marks } = startProcess()
  await look()
  const before = marks.recall()
  await sql`update installation set installation_id = 'theirs'`
  try {
    for (let round = 0; round < 5; round++) await look(minute_ms)
    expect(await reasons()).toEqual([expect.stringContaining('another mark')])
    await sql`update orphan_brakes set released_at = ${clock.now()}, released_by = 'ada'`
    for (let round = 0; round < 5; round++) await look(minute_ms)
    expect(await brakes()).toEqual([])
    expect(marks.recall()).toEqual(before)
  } finally {
    await sql`update installation set installation_id = 'ours'`
  }
})

test('a database that goes on is left alone, and its mark moves on every 15 s', async () => {
  const [one, other] = [startProcess(), startProcess(mkdtempSync(join(folder, 'other-')))]
  for (let round = 0; round < 12; round++) {
    await one.look()
    await other.look(0)
  }
  expect(await newest()).toMatchObject({ epoch: 4 })
  for (const { marks } of [one, other]) expect(marks.recall()).toMatchObject((await newest())!)
  expect(await brakes()).toEqual([])
  expect(told('error')).toEqual([])
  // They are kept for three days.
  await one.look(3 * 24 * hour_ms)
  await one.look(minute_ms)
  expect(await sql`select epoch from high_water_marks`).toEqual([{ epoch: 5 }, { epoch: 6 }])
})

test('marks move on where the clock was put back', async () => {
  await startProcess().look()
  await sql`update high_water_marks set written_at = written_at + interval '1 day'`
  const { look, marks } = startProcess()
  await look(minute_ms)
  expect(await newest()).toMatchObject({ epoch: 2 })
  expect(marks.recall()).toMatchObject({ epoch: 2 })
  expect(readMarkFile(folder, 'ours')).toMatchObject({ epoch: 2 })
  expect(await brakes()).toEqual([])
})

describe('a database that has gone back', () => {
  test('pulls the brake, also where people cannot be signed out first', async () => {
    const { look } = startProcess()
    await look()
    const putBack = await backUp()
    await look(minute_ms)
    await putBack()
    await look(minute_ms, () => Promise.reject(new Error('no')))
    expect(await brakes()).toHaveLength(1)
    expect(told('error')).toMatchObject([
      { message: 'sessions not ended after the database went back', fields: { error: 'no' } },
      { message: expect.stringContaining('the brake is pulled') },
    ])
  })

  test('is noticed by a process that ran on: the brake is pulled, and says why', async () => {
    const { look } = startProcess()
    await look()
    const putBack = await backUp()
    await look(minute_ms)
    await look(minute_ms)
    await putBack()
    await look()
    expect(await brakes()).toMatchObject([
      {
        acquirer: every_acquirer,
        pulled_by: 'service',
        pulled_at: clock.now(),
        reason: 'the database may have lost commits: its newest high-water mark is 1, and was 3 before',
      },
    ])
    expect(told('error')).toMatchObject([{ message: expect.stringContaining('ripper orphan list') }])
    for (let round = 0; round < 20; round++) await look()
    expect(told('error')).toHaveLength(1)
  })

  test('and went on before anybody looked is noticed by the mark itself', async () => {
    const [stalled, other] = [startProcess(), startProcess(mkdtempSync(join(folder, 'other-')))]
    await stalled.look()
    const putBack = await backUp()
    await stalled.look(minute_ms)
    await putBack()
    for (let round = 0; round < 3; round++) await other.look(minute_ms)
    expect(await brakes()).toEqual([])
    await stalled.look()
    expect(await reasons()).toEqual([expect.stringMatching(/mark 2 is another than before$/)])
  })

  test('while nothing ran is noticed at the next start, by the file in the data folder', async () => {
    const before = startProcess()
    await before.look()
    const putBack = await backUp()
    await before.look(2 * minute_ms)
    await before.look(2 * minute_ms)
    await putBack()
    const after = startProcess()
    await after.look(hour_ms)
    expect(await reasons()).toEqual([expect.stringMatching(/is 1, and was 3 before$/)])
  })

  test.each([
    ['another installation used', JSON.stringify({ installation: 'theirs', epoch: 9 })],
    ['holds nonsense', '{"installation":"ours","epoch":"x"'],
    ['holds no mark', JSON.stringify({ installation: 'ours', epoch: 9, written_at: 'soon' })],
  ])('is not concluded from a file that %s', async (_, content) => {
    writeFileSync(join(folder, 'high-water.json'), content)
    const { look } = startProcess()
    await look()
    expect(await brakes()).toEqual([])
    expect(readMarkFile(folder, 'ours')).toMatchObject({ epoch: 1 })
  })

  test('is noticed without a folder, too, and logged once', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { look } = startProcess(join(folder, 'file'))
    await look()
    const putBack = await backUp()
    await look(minute_ms)
    await putBack()
    await look(minute_ms)
    expect(await brakes()).toHaveLength(1)
    expect(told('warn').map(({ message }) => message)).toEqual(['high-water mark not kept'])
  })

  test('reverses nothing, though the operator has it reversed', async () => {
    const { look, process } = startProcess()
    await look()
    const putBack = await backUp()
    await look(minute_ms)
    const { reference } = await authorise()
    await putBack()
    // No look before the sweep.
    await sweepAfter(3 * minute_ms, process)
    await sweepAfter(hour_ms, process)
    expect(await booksOf(reference)).toEqual(untouched)
    expect(await countStandings()).toEqual({ held_back: 1 })
  })
})

describe('which process reports it', () => {
  test('is the first that notices; the others go on from there', async () => {
    const [one, other] = [startProcess(), startProcess(mkdtempSync(join(folder, 'other-')))]
    await one.look()
    const putBack = await backUp()
    await one.look(minute_ms)
    await other.look(0)
    await putBack()
    await one.look()
    const [brake] = await brakes()
    await other.look()
    await one.look()
    expect(await brakes()).toEqual([brake])
    expect(told('error')).toHaveLength(1)
    await releaseBrakes(sql, { brakes: [brake!], at: clock.now(), by: 'ada' })
    for (let round = 0; round < 8; round++) {
      await one.look()
      await other.look()
    }
    expect(await brakes()).toEqual([])
  })

  test('is the next one, where the first died before it had written a mark', async () => {
    const { look, process } = startProcess()
    await look()
    await sql`update high_water_marks set timeline = timeline - 1`
    const dying = new Proxy(sql, {
      apply(target, _, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
        if (/insert into high_water_marks/.test(strings.join('?'))) throw new Error('dead')
        return target(strings, ...values)
      },
    })
    await expect(watchDatabase({ ...process, sql: dying })).rejects.toThrow('dead')
    expect(await brakes()).toHaveLength(1)
    await look()
    await look()
    expect(await brakes()).toHaveLength(1)
    expect(told('error')).toHaveLength(1)
  })

  test('is the first one at a database on another cluster, with no memory of its own', async () => {
    const { look } = startProcess()
    await look()
    await sql`update high_water_marks set system_identifier = '1'`
    await sweepOrphans(context)
    expect(await reasons()).toEqual([expect.stringMatching(/another cluster than before/)])
    const { system_identifier } = await readServer(sql)
    expect(await sql`select system_identifier from high_water_marks order by epoch desc limit 1`).toEqual([
      { system_identifier },
    ])
  })
})

test('what its role may not read it goes without', async () => {
  const database = await freshDatabase()
  const owner = await database.open()
  const role = `ripper_poor_${randomBytes(4).toString('hex')}`
  await owner.sql.unsafe(`create role ${role} login password 'secret'`)
  const url = new URL(database.url)
  Object.assign(url, { username: role, password: 'secret' })
  const poor = await database.open({ url: url.href })
  const all = await readServer(owner.sql)
  expect(all).toEqual({ system_identifier: expect.stringMatching(/^\d{15,}$/), timeline: 1 })
  // An ordinary role may.
  expect(await readServer(poor.sql)).toEqual(all)
  await owner.sql`revoke execute on function pg_control_system() from public`
  expect(await readServer(poor.sql)).toEqual({ ...all, system_identifier: null })
  await owner.sql`revoke execute on function pg_walfile_name(pg_lsn) from public`
  expect(await readServer(poor.sql)).toEqual({ system_identifier: null, timeline: null })
  await poor.close()
  await owner.sql.unsafe(`drop role ${role}`)
  await owner.close()
  await database.drop()
})

describe('a real server', () => {
  const folders: string[] = []
  afterAll(() => {
    for (const each of folders) removeData(each)
  })

  const openIn = (data_dir: string): Promise<Database> =>
    openDatabase({ url: null, data_dir, connections_max: 2, log: quiet, clock: realClock })

  test('a copy that recovers, and is promoted: its timeline shows it', async () => {
    const place = mkdtempSync(join(tmpdir(), 'ripper-promoted-'))
    // As root, the server's user has to come through.
    chmodSync(place, 0o711)
    const [primary, standby] = [join(place, 'primary'), join(place, 'standby')]
    folders.push(standby, primary, place)
    const first = await openIn(primary)
    await migrate({ sql: first.sql, log: quiet, clock: realClock })
    await keepInstallation(first.sql, { installation_id: 'ours', created_at: clock.now() })
    await watchDatabase({ ...context, sql: first.sql })
    const before = await readServer(first.sql)
    await first.close()
    execFileSync('cp', ['-a', primary, standby])
    const signal = join(standby, 'postgres', 'standby.signal')
    asOwner(join(standby, 'postgres'), () => writeFileSync(signal, ''))
    const second = await openIn(standby)
    // While it recovers there is none to read, and nothing is written.
    expect(await readServer(second.sql)).toEqual({ ...before, timeline: null })
    // The service's role may not promote: its server's owner does.
    const { socket_folder } = await findHome(standby)
    const owner = connect({ socket_folder, database: 'postgres' }, { connections_max: 1 })
    await owner`select pg_promote()`
    await owner.end()
    await watchDatabase({ ...context, sql: second.sql })
    expect(await listBrakes(second.sql, { acquirer: null, released_too: false })).toMatchObject([
      { pulled_by: 'service', reason: expect.stringMatching(/timeline is 2, and was another/) },
    ])
    await watchDatabase({ ...context, sql: second.sql })
    expect(told('error')).toHaveLength(1)
    await second.close()
  }, 60_000)
})
