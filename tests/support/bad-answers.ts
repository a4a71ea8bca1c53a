// Runs what a vendor may answer wrongly to a charge, through the whole service, and searches everything for secrets afterwards.

import { afterEach, describe, expect, test } from 'vitest'
import { checkConnection } from '../../src/connections/check-connection.ts'
import { findConnection } from '../../src/connections/connection-store.ts'
import { connectors } from '../../src/connections/connectors.ts'
import { rotateCredentials } from '../../src/connections/manage-connections.ts'
import { routingsIn } from '../../src/kernel/ids.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { openWire } from '../../src/vendor-wire/wire.ts'
import { cardOf, wordsOf } from './client.ts'
import type { End } from './fault-rows.ts'
import { expectEnd, quick } from './fault-table.ts'
import { driving } from './service.ts'
import { everythingStored } from './stored.ts'
import { useVendorStage, type VendorStage } from './vendor-stage.ts'
import type { VendorName } from './vendors.ts'

/** `certain`: the vendor has refused for certain, so that it ends at once. */
export type BadAnswer = [fault: string, end: End, how?: 'certain']

const cvc = '937'
const said: string[] = []

export async function badAnswerTable(name: VendorName, rows: BadAnswer[]): Promise<void> {
  const stage = await useVendorStage(name)
  const { vendor, other, service, acquirer } = stage

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
    vendor.wrong.length = 0
  })

  describe('a charge that is answered', () => {
    test.each(rows)('%s: %s', async (fault, end, how) => {
      const before = vendor.charges().length
      vendor.next(fault)
      const { session_id, answer } = await charge(stage)
      if (how === 'certain') expect(answer.body.status).toBe(end)
      await stage.rest(name === 'adyen')
      await expectEnd(stage, { session_id, before, end })
      if (end === 'failed') await expectToldOf(stage, session_id)
    })
  })

  test('a wrong key charges nothing, and log and check name the connection', async () => {
    const { operator } = other
    const { connection_id, clock } = stage
    const wrong = Object.fromEntries(
      Object.entries(vendor.credentials).map(([member, value]) => [
        member,
        /^(secret|api)_key$/.test(member) ? 'sk_sbox_wrong' : value,
      ]),
    )
    await rotateCredentials(operator, connection_id, wrong)
    await clock.advance(10_001)
    const before = vendor.charges().length
    const { session_id, answer } = await charge(stage)
    expect(answer.body).toMatchObject({
      status: 'failed',
      decline: { category: 'provider_error', reason: expect.stringContaining(acquirer) },
    })
    await expectEnd(stage, { session_id, before, end: 'failed' })
    await expectToldOf(stage, session_id)
    const row = await findConnection(other.sql, connection_id, routingsIn(connection_id, operator.keyring))
    const http = openVendorHttp({ clock, allowed_networks: ['127.0.0.1'] })
    const parts = { keyring: operator.keyring, wire: openWire(http), clock, connectors }
    const checked = await checkConnection(parts, row!, 60_000)
    await http.close()
    expect(checked).toMatchObject({ result: 'fails', reason: expect.stringContaining('401') })
    said.push(JSON.stringify(checked))
    await rotateCredentials(operator, connection_id, vendor.credentials)
  })

  test('no number, code or key is in any row, line or answer', async () => {
    const rows = [...(await everythingStored(other.sql, 'json')).values()].flat()
    const lines = [...service.log, ...other.log].map((line) => JSON.stringify(line))
    expect(rows.length).toBeGreaterThan(100)
    expect(lines.length).toBeGreaterThan(0)
    const everything = [...rows, ...lines, ...said]
    for (const secret of [quick, ...vendor.secrets, 'sk_sbox_wrong']) {
      const spellings = [secret, Buffer.from(secret).toString('hex')]
      const found = everything.filter((text) => spellings.some((each) => text.includes(each)))
      expect(found).toEqual([])
    }
    expect(everything.filter(tellsCode)).toEqual([])
  })
}

/** A code is too short to be looked for anywhere: it is found as a value of its own, as text or as bytes. */
function tellsCode(text: string): boolean {
  return new RegExp(`"${cvc}"|:${cvc}[,}]|x${Buffer.from(cvc).toString('hex')}"`).test(text)
}

async function charge({ account, clock }: VendorStage) {
  const { client } = account
  const session = await client.open()
  const referenced = await client.referenceCard(session, { ...cardOf(quick), cvc })
  await client.authenticate(session, referenced.body.card_reference)
  const answer = await driving(clock, client.confirm(session))
  said.push(wordsOf(answer))
  return { session_id: session.id, answer }
}

/** A line names the connection, and the payment says whose fault it was. */
async function expectToldOf({ other, service, acquirer }: VendorStage, session_id: string): Promise<void> {
  const [payment] = await other.sql`
    select payment_id, decline from payments where session_id = ${session_id}`
  expect(payment!.decline).toMatchObject({ category: 'provider_error' })
  const { payment_id } = payment!
  expect([...service.log, ...other.log]).toContainEqual({
    level: 'error',
    fields: expect.objectContaining({ payment_id, acquirer, reason: expect.any(String) }),
    message: expect.stringContaining('connection failed to charge'),
  })
}
