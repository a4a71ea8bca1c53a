// A rotated credential is what every process sends next, also where the announcement of the change is lost: then within ten seconds.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { chargeNamed } from '../../src/acquirers/acquirer.ts'
import { createConnection, rotateCredentials } from '../../src/connections/manage-connections.ts'
import { acquirerName } from '../../src/merchants/account-connection.ts'
import { freshDatabase } from '../support/database.ts'
import { drivenClock, type Service, startService, until } from '../support/service.ts'
import { openVendor } from '../support/vendor.ts'

const clock = drivenClock()
const vendor = openVendor()
const database = await freshDatabase()
const shared = { clock, connectors: [vendor.connector], master_key: randomBytes(32) }
const deaf: typeof database = {
  ...database,
  async open(options) {
    const opened = await database.open(options)
    return {
      ...opened,
      async listen(_, { opened: listening }) {
        listening()
        return async () => {}
      },
    }
  },
}
const processes = {
  one: await startService({ ...shared, database }),
  another: await startService({ ...shared, database }),
  deaf: await startService({ ...shared, database: deaf }),
}
afterAll(async () => {
  await Promise.all(Object.values(processes).map((each) => each.close()))
  await database.drop()
})

const { operator, account } = processes.one
const connection = await createConnection(operator, account.merchant_id, {
  ...({ kind: 'acquirer', connector: 'bank', label: 'main', mode: 'live' } as const),
  credentials: { secret_key: 'sk_1' },
})
const names = { reference: 'a'.repeat(32), handle: null, acquirer_transaction_id: null }

/** The key with which the process asks the vendor now. */
async function keyOf({ context }: Service): Promise<string> {
  await context.acquirerOf('live', acquirerName(connection)).lookUp(chargeNamed(names))
  return vendor.asked.at(-1)!.secret_key
}

test('each process sends it at once, and one that heard nothing after ten seconds', async () => {
  const all = Object.values(processes)
  for (const each of all) expect(await keyOf(each)).toBe('sk_1')
  await rotateCredentials(operator, connection.connection_id, { secret_key: 'sk_2' })
  // The clock stands still: only the announcement can tell.
  for (const each of [processes.one, processes.another]) {
    await until(
      () => keyOf(each),
      (key) => key === 'sk_2',
    )
  }
  await clock.advance(9_999)
  expect(await keyOf(processes.deaf)).toBe('sk_1')
  await clock.advance(1)
  for (const each of all) expect(await keyOf(each)).toBe('sk_2')
})
