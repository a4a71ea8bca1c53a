// A vendor for tests of connections: it charges what it is asked to, and says with which credentials it was called.

import { z } from 'zod'
import {
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type LookUpAnswer,
  NotSent,
} from '../../src/acquirers/acquirer.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'

export type Vendor = {
  connector: KnownConnector
  /** What was asked, in order: the verb, the acquirer's name, and the key that was sent. */
  asked: { verb: string; name: string; secret_key: string }[]
  charged: AuthoriseRequest[]
  /** What look-ups find, by the reference of a charge. */
  books: Map<string, LookUpAnswer>
  /** What the next charges with this key come to, in order. Without it they are approved. */
  next(secret_key: string, ...outcomes: (() => Promise<AuthoriseAnswer>)[]): void
}

export function openVendor(): Vendor {
  const asked: Vendor['asked'] = []
  const charged: Vendor['charged'] = []
  const books: Vendor['books'] = new Map()
  const set = new Map<string, (() => Promise<AuthoriseAnswer>)[]>()
  const connector: KnownConnector = {
    name: 'bank',
    kind: 'acquirer',
    credentials: z.strictObject({ secret_key: z.string() }),
    open({ name, credentials }) {
      const call = async (verb: string) => {
        const found = await credentials()
        if (found === null) throw new NotSent(`${name}: it has no credentials`)
        const secret_key = found.secret_key as string
        asked.push({ verb, name, secret_key })
        return { secret_key, acquirer_transaction_id: `t_${asked.length}` }
      }
      const settle = (verb: string) => async () => {
        const { acquirer_transaction_id } = await call(verb)
        return { result: 'approved' as const, acquirer_transaction_id }
      }
      return {
        name,
        learned_by: 'reference',
        lists: true,
        safe_window_ms: 300_000,
        reference_life_ms: 24 * 3_600_000,
        late_approval_ms: 0,
        async authorise(request) {
          const { secret_key, acquirer_transaction_id } = await call('authorise')
          charged.push(request)
          const outcome = set.get(secret_key)?.shift()
          if (outcome) return outcome()
          const { amount, currency, capture: captured } = request
          return { result: 'approved', captured, amount, currency, acquirer_transaction_id }
        },
        capture: settle('capture'),
        void: settle('void'),
        reverse: settle('reverse'),
        refund: settle('refund'),
        async lookUp({ kind, reference, authorisation }) {
          await call('lookUp')
          const asked = kind === 'authorise' ? authorisation.reference : reference
          return books.get(asked) ?? { result: 'not_found' }
        },
        async listAuthorisations() {
          await call('listAuthorisations')
          return []
        },
      }
    },
    async check({ credentials }) {
      return credentials.secret_key === 'wrong'
        ? { result: 'fails', reason: 'the key is refused' }
        : { result: 'works', notes: ['captures are on'] }
    },
  }
  return {
    connector,
    asked,
    charged,
    books,
    next: (secret_key, ...outcomes) => {
      set.set(secret_key, outcomes)
    },
  }
}
