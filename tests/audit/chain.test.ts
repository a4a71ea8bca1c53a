// The chains of the journal: they never fork, take in what comes late, and tell of whatever is done to them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sealJournal } from '../../src/audit/seal-journal.ts'
import { type AuditStage, openAuditStage, told } from '../support/audit-stage.ts'

let stage: AuditStage
beforeAll(async () => {
  stage = await openAuditStage()
})
afterAll(() => stage.close())

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms

const ago = (ms: number) => new Date(stage.clock.now().getTime() - ms)
const pass = (ms: number) => stage.clock.advance(ms)
const positionOf = async (entry_id: string): Promise<number | null> => {
  const [row] = await stage.sql<{ position: number }[]>`
    select position from audit_chain where entry_id = ${entry_id}`
  return row?.position ?? null
}

describe('sealing', () => {
  test('lines come into the chain after five seconds, in their order', async () => {
    const { newJournal, seal, verify } = stage
    const merchant_id = await newJournal(8)
    expect(await seal(merchant_id)).toBe(2)
    expect(await seal(merchant_id)).toBe(0)
    await pass(6 * second_ms)
    expect(await verify(merchant_id)).toMatchObject({
      lines: 8,
      sealed_now: 6,
      not_sealed_yet: 0,
      faults: [],
      newest_line_at: ago(6 * second_ms),
      head: { position: 8 },
    })
    const rows = await stage.sql<{ entry_id: string }[]>`
      select entry_id from audit_chain where merchant_id = ${merchant_id} order by position`
    expect(rows).toEqual(rows.toSorted((a, b) => (a.entry_id < b.entry_id ? -1 : 1)))
  })

  test('by several processes at once, while lines come in: no fork, and each line once', async () => {
    const { fresh, clock, newJournal, write, verify } = stage
    const merchants = [await newJournal(1), await newJournal(1)]
    const processes = await Promise.all([1, 2, 3, 4].map(() => fresh.open({ clock })))
    const sealed: number[] = []
    for (let round = 0; round < 25; round += 1) {
      const lines = merchants.flatMap((merchant_id) => [1, 2, 3].map(() => write(merchant_id)))
      const seals = processes.map(({ sql }) => sealJournal({ sql, world: { clock } }))
      sealed.push(...(await Promise.all(seals)))
      await Promise.all(lines)
      await pass(2 * second_ms)
    }
    await Promise.all(processes.map((process) => process.close()))
    await pass(5 * second_ms)
    for (const merchant_id of merchants) {
      const { lines, head, faults } = await verify(merchant_id)
      expect([lines, head!.position, faults]).toEqual([76, 76, []])
    }
    // Otherwise they were never in each other's way.
    expect(sealed.filter((count) => count > 0).length).toBeGreaterThan(20)
  }, 60_000)

  test('many lines leave requests time in between, unless the job has no time left', async () => {
    const { sql, newJournal, write } = stage
    const sleepsWhere = async (passes_ms: number): Promise<number[]> => {
      const merchant_id = await newJournal(1)
      await Promise.all(Array.from({ length: 600 }, () => write(merchant_id)))
      const sleeps: number[] = []
      let now_ms = stage.clock.now().getTime() + minute_ms / 2
      const clock = {
        now() {
          now_ms += passes_ms
          return new Date(now_ms)
        },
        async sleep(duration_ms: number) {
          sleeps.push(duration_ms)
        },
      }
      expect(await sealJournal({ sql, world: { clock } }, merchant_id)).toBe(601)
      return sleeps
    }
    expect(await sleepsWhere(3)).toEqual([6, 6, 6])
    expect(await sleepsWhere(200)).toEqual([20, 20, 20])
    expect(await sleepsWhere(3_000)).toEqual([])
  })

  test('what comes late is taken in: after a minute, after two hours, and never', async () => {
    const { newJournal, write, seal, verify } = stage
    const merchant_id = await newJournal(3)
    await pass(4 * hour_ms)
    await seal(merchant_id)
    const minute = await write(merchant_id, ago(30 * second_ms))
    const hours = await write(merchant_id, ago(5 * minute_ms))
    const never = await write(merchant_id, ago(3 * hour_ms))
    await write(merchant_id)
    await pass(10 * second_ms)
    expect(await seal(merchant_id)).toBe(1)
    expect(await positionOf(minute)).toBeNull()
    await pass(minute_ms)
    expect(await seal(merchant_id)).toBe(1)
    expect([await positionOf(minute), await positionOf(hours)]).toEqual([5, null])
    await pass(2 * hour_ms)
    expect(await seal(merchant_id)).toBe(1)
    expect(await positionOf(hours)).toBe(6)
    const { faults, lines } = await verify(merchant_id)
    expect(lines).toBe(7)
    expect(faults).toEqual([{ kind: 'line_not_sealed', position: null, until_position: null, entry_id: never }])
  })

  test('a clock that is set back by days hinders nothing', async () => {
    const { sql, clock, newJournal, write, verify } = stage
    const merchant_id = await newJournal(3)
    const later = { now: () => ago(-6 * 24 * hour_ms), sleep: clock.sleep }
    await write(merchant_id, later.now())
    const future = { now: () => new Date(later.now().getTime() + minute_ms), sleep: clock.sleep }
    expect(await sealJournal({ sql, world: { clock: future } }, merchant_id)).toBe(4)
    await write(merchant_id)
    await pass(6 * second_ms)
    expect(await verify(merchant_id)).toMatchObject({ lines: 5, sealed_now: 1, faults: [] })
  })

  test('lines written after a clock was set back are found, even by a look minutes later', async () => {
    const { sql, clock, newJournal, write, verify } = stage
    const merchant_id = await newJournal(3)
    const ahead = (ms: number) => ({ now: () => ago(-ms), sleep: clock.sleep })
    const sealAhead = (ms: number) => sealJournal({ sql, world: { clock: ahead(ms) } }, merchant_id)
    await write(merchant_id, ago(-3 * 24 * hour_ms))
    expect(await sealAhead(3 * 24 * hour_ms + minute_ms)).toBe(4)
    for (let line = 0; line < 2; line += 1) {
      await write(merchant_id)
      await pass(10 * minute_ms)
    }
    expect(await stage.seal(merchant_id)).toBe(2)
    await pass(2 * hour_ms)
    expect(await verify(merchant_id)).toMatchObject({ lines: 6, sealed_now: 0, faults: [] })
    // The marks are back, too: what is put in among old lines is not taken for one of the service.
    await write(merchant_id, ago(2 * hour_ms + 15 * minute_ms))
    expect(told(await verify(merchant_id))).toEqual(['line_not_sealed line'])
  })

  test('what another process passes over, its clock an hour ahead, is found after two', async () => {
    const { sql, clock, newJournal, write, verify } = stage
    const merchant_id = await newJournal(3)
    const ahead = { now: () => ago(-hour_ms + second_ms), sleep: clock.sleep }
    await sealJournal({ sql, world: { clock: ahead } }, merchant_id)
    const line = await write(merchant_id)
    await write(merchant_id, ago(-hour_ms))
    await pass(minute_ms)
    await sealJournal({ sql, world: { clock: ahead } }, merchant_id)
    await stage.seal(merchant_id)
    expect(await positionOf(line)).toBeNull()
    await pass(2 * hour_ms)
    expect(await verify(merchant_id)).toMatchObject({ lines: 5, sealed_now: 1, faults: [] })
  })

  test('a journal of several pages', async () => {
    const { sql, newJournal, verify } = stage
    const merchant_id = await newJournal(1)
    await pass(minute_ms)
    await sql`
      insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      select merchant_id, substr(entry_id, 1, 12) || lpad(n::text, 20, '0'), 's', 'c', '{}', 'bank', at
      from journal, generate_series(1, 2500) n where merchant_id = ${merchant_id}`
    expect(await verify(merchant_id)).toMatchObject({
      lines: 2501,
      sealed_now: 2501,
      head: { position: 2501 },
      faults: [],
    })
  })

  test("a wrong head stops its merchant's sealing, and nobody else's", async () => {
    const { sql, newJournal, write, seal, verify } = stage
    const [wrong, right] = [await newJournal(2), await newJournal(2)]
    await pass(minute_ms)
    await seal()
    const [head] = await sql<{ hash: Buffer }[]>`
      update audit_heads set hash = sha256(hash) where merchant_id = ${wrong} returning hash`
    const line = await write(right)
    await write(wrong)
    await pass(minute_ms)
    await expect(seal()).rejects.toThrow(`lines are not sealed: ${wrong}: the head is not where`)
    expect(await positionOf(line)).toBe(3)
    await pass(2 * hour_ms)
    const found = await verify(wrong)
    expect(told(found)).toEqual(['head_changed 2', 'line_not_sealed line'])
    expect(found.head?.hash).toEqual(head!.hash)
    await sql`update audit_heads h set hash = c.hash from audit_chain c
      where c.merchant_id = ${wrong} and c.position = 2 and h.merchant_id = ${wrong}`
    expect(await verify(wrong)).toMatchObject({ sealed_now: 1, faults: [], head: { position: 3 } })
  })
})

describe('tampering is found and named', () => {
  type Row = [name: string, statement: string, ...faults: string[]]
  const line3 = `(select entry_id from audit_chain where merchant_id = 'm' and position = 3)`
  const at = (column: string, value: string): Row => [
    `a line's ${column}`,
    `update journal set ${column} = ${value} where merchant_id = 'm' and entry_id = ${line3}`,
    'line_changed 3 line',
  ]
  const rows: Row[] = [
    at('session_id', `'cs_1'`),
    at('subject', `'key_2'`),
    at('change', `'key.revoked'`),
    at('detail', `'{}'`),
    at('detail', `replace(detail::text, ':', ': ')::json`),
    at('actor', `'shopper'`),
    at('request_id', `'req_1'`),
    at('at', `at + interval '1 microsecond'`),
    at('at', `'infinity'`),
    [
      "a line's merchant",
      `update journal set merchant_id = 'm_other' where merchant_id = 'm' and entry_id = ${line3}`,
      'line_removed 3 line',
    ],
    ['a line removed', `delete from journal where merchant_id = 'm' and entry_id = ${line3}`, 'line_removed 3 line'],
    [
      "a line's id",
      `update journal set entry_id = overlay(entry_id placing 'z' from 32) where merchant_id = 'm' and entry_id = ${line3}`,
      'line_removed 3 line',
      'line_not_sealed line',
    ],
    [
      'an old line put in',
      `insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
       select 'm', overlay(entry_id placing 'z' from 32), subject, change, detail, actor, at from journal
       where merchant_id = 'm' and entry_id = ${line3}`,
      'line_not_sealed line',
    ],
    [
      "a row's hash",
      `update audit_chain set hash = sha256(hash) where merchant_id = 'm' and position = 3`,
      'row_changed 3 line',
    ],
    [
      "the last row's hash",
      `update audit_chain set hash = sha256(hash) where merchant_id = 'm' and position = 5`,
      'row_changed 5 line',
    ],
    [
      'a row that names no line any more',
      `update audit_chain set entry_id = repeat('0', 32) where merchant_id = 'm' and position = 3`,
      'line_removed 3 line',
      'line_not_sealed line',
    ],
    [
      'a row removed',
      `delete from audit_chain where merchant_id = 'm' and position = 3`,
      'row_removed 3 3',
      'line_not_sealed line',
    ],
    [
      'the last rows removed',
      `delete from audit_chain where merchant_id = 'm' and position > 3`,
      'row_removed 4 5',
      'line_not_sealed line',
      'line_not_sealed line',
    ],
    [
      'a row put in after the end',
      `insert into audit_chain values ('m', 6, repeat('0', 32), sha256('x'))`,
      'row_inserted 6 line',
    ],
    [
      'a row put in before the first',
      `insert into audit_chain values ('m', -7, repeat('0', 32), sha256('x'))`,
      'row_inserted -7 line',
    ],
    [
      'a row put in between, with room made for it',
      `update audit_chain set position = position + 11 where merchant_id = 'm' and position > 3;
       update audit_chain set position = position - 10 where merchant_id = 'm' and position > 10;
       insert into audit_chain values ('m', 4, repeat('0', 32), sha256('x'));
       update audit_heads set position = 6 where merchant_id = 'm'`,
      'row_inserted 4 line',
    ],
    ["the head's hash", `update audit_heads set hash = sha256(hash) where merchant_id = 'm'`, 'head_changed 5'],
    ["the head's position", `update audit_heads set position = 4 where merchant_id = 'm'`, 'head_changed 4'],
    ['the head removed', `delete from audit_heads where merchant_id = 'm'`, 'head_removed 5'],
  ]

  test.each(rows)('%s', async (_, statement, ...faults) => {
    const { sql, newJournal, seal, verify } = stage
    const merchant_id = await newJournal(5)
    await pass(5 * hour_ms)
    await seal(merchant_id)
    expect((await verify(merchant_id)).faults).toEqual([])
    await sql.unsafe(statement.replaceAll(`'m'`, `'${merchant_id}'`))
    const found = await verify(merchant_id)
    expect(told(found)).toEqual(faults)
    expect(found.fault_count).toBe(faults.length)
  })

  test('more faults than are named are counted', async () => {
    const { sql, newJournal, seal, verify } = stage
    const merchant_id = await newJournal(150)
    await pass(5 * hour_ms)
    await seal(merchant_id)
    await sql`update journal set actor = 'rules' where merchant_id = ${merchant_id}`
    const { faults, fault_count } = await verify(merchant_id)
    expect([faults.length, fault_count]).toEqual([100, 150])
  })

  test('only a head that was noted reveals a chain cut off, or made anew', async () => {
    const { sql, newJournal, write, verify } = stage
    const merchant_id = await newJournal(5)
    await pass(minute_ms)
    const noted = (await verify(merchant_id)).head!.hash.toString('hex')
    const forget = () =>
      sql.unsafe(
        ['audit_chain', 'audit_heads', 'audit_looks']
          .map((table) => `delete from ${table} where merchant_id = '${merchant_id}'`)
          .join(';'),
      )
    const newest = await write(merchant_id)
    await pass(minute_ms)
    const found = { hash: noted, position: 5 }
    expect(await verify(merchant_id, noted)).toMatchObject({ faults: [], found_heads: [found] })
    await sql`update journal set actor = 'rules' where entry_id = ${newest}`
    await forget()
    // The same lines give the same chain up to the one that was changed.
    expect(await verify(merchant_id, noted)).toMatchObject({ faults: [], found_heads: [found] })
    await sql`delete from journal where entry_id = (
      select entry_id from audit_chain where merchant_id = ${merchant_id} and position = 2)`
    await forget()
    expect(await verify(merchant_id, noted)).toMatchObject({ faults: [], found_heads: [] })
  })
})
