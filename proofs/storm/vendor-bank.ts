// The vendor that is a storm's bank, as the storm itself has it: a process of its own with an account for each shop.

import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import { createConnection } from '../../src/connections/manage-connections.ts'
import type { Sql } from '../../src/database/open.ts'
import { openIds } from '../../src/kernel/ids.ts'
import type { ServiceResources } from '../../src/service/resources.ts'
import { realClock } from '../../tests/support/world.ts'
import { faultsOfStandings } from '../simulate/standings.ts'
import { faultsOfVendor } from '../vendors/judge.ts'
import { isOurs } from '../vendors/portal.ts'
import type { VendorName } from '../vendors/vendor.ts'
import { layBeside } from './vendor-ledger.ts'
import type { VendorAccount, VendorNews, VendorOrder } from './vendor-program.ts'

export type VendorBank = {
  /** Gives a merchant the next account. Returns the label of its connection. */
  connect(opened: ServiceResources, merchant_id: string): Promise<string>
  /** From now on it posts to those that run, and other systems charge over its accounts. */
  begin(addresses: () => string[]): void
  /** What was held back is posted now. */
  hurry(): void
  /** As the clocks of our processes are then. */
  goAhead(seconds: number): void
  /** Notices that nobody has accepted yet, in words; none once all are. */
  waiting(): Promise<string[]>
  layBeside(sql: Sql): Promise<void>
  /** What must not be in its books, and what was wrong with requests. */
  faults(sql: Sql): Promise<string[]>
  describe(): Promise<string>
  close(): Promise<void>
}

const program = resolve(import.meta.dirname, 'vendor-program.ts')
const told_every_ms = 200
const label = 'vendor'

export async function openVendorBank(name: VendorName, seed: string): Promise<VendorBank> {
  const child = fork(program, [name, seed], { serialization: 'advanced' })
  const servers = await heard<VendorAccount[]>(child)
  const connection_ids: string[] = []
  const order = (what: VendorOrder) => {
    if (child.connected) child.send(what, () => {})
  }
  let is_over = false
  let asking: Promise<unknown> = Promise.resolve()

  /** One question at a time: answers come in their order. */
  function ask(): Promise<VendorNews> {
    const asked = asking.then(() => {
      const news = heard<VendorNews>(child)
      order({ order: 'tell' })
      return news
    })
    asking = asked.catch(() => {})
    return asked
  }

  return {
    async connect({ database, keyring, world }, merchant_id) {
      const { clock } = world
      const ids = openIds(world.random, keyring)
      const office = { sql: database.sql, ids, clock, actor: 'operator' as const, keyring }
      const asked = { kind: 'acquirer', connector: name, label, mode: 'sandbox' } as const
      const { credentials } = servers[connection_ids.length]!
      const made = await createConnection(office, merchant_id, { ...asked, credentials })
      connection_ids.push(made.connection_id)
      return label
    },
    begin(addresses) {
      order({ order: 'connect', connection_ids })
      void (async () => {
        while (!is_over) {
          order({ order: 'post_to', addresses: addresses() })
          await realClock.sleep(told_every_ms)
        }
      })()
    },
    hurry: () => order({ order: 'hurry' }),
    goAhead: (seconds) => order({ order: 'ahead', seconds }),
    async waiting() {
      const { waiting } = await ask()
      return waiting === 0 ? [] : [`${waiting} notices wait at the vendor`]
    },
    async layBeside(sql) {
      const { charges } = await ask()
      await layBeside(sql, charges, await installationOf(sql))
    },
    async faults(sql) {
      const { charges, wrong } = await ask()
      const misused = wrong.map((text) => `${name} does not know this: ${text}`)
      const by_others = charges.filter(({ acts }) => acts.some((act) => !isOurs(act.reference)))
      const touched = new Set(by_others.map(({ reference }) => reference))
      const standings = await faultsOfStandings(sql, { charges, touched })
      return [...faultsOfVendor(charges, await installationOf(sql)), ...standings.map(([, fault]) => fault), ...misused]
    },
    async describe() {
      const { charges, posted } = await ask()
      const { accepted, twice, refused } = posted
      const acts = charges.flatMap((charge) => charge.acts)
      const by_others = acts.filter(({ reference }) => !isOurs(reference)).length
      return `${charges.length} charges in its books, ${by_others} acts in its portal; ${accepted} notices accepted, ${twice} of them twice, ${refused} times not`
    },
    async close() {
      is_over = true
      if (child.exitCode !== null) return
      const ended = new Promise((exited) => child.once('exit', exited))
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function installationOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ installation_id: string }[]>`select installation_id from installation`
  return row!.installation_id
}

function heard<Message>(child: ChildProcess): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>()
  const ended = () => reject(new Error('the vendor has ended'))
  child.once('exit', ended)
  child.once('message', (message) => {
    child.off('exit', ended)
    resolve(message as Message)
  })
  return promise
}
