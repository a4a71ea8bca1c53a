// The steps of the growth benchmark that list payments, sessions, events and disputes.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { keepMasterKey } from '../src/config/master-key.ts'
import { cursorAfter } from '../src/http/list-cursor.ts'
import { idsFrom } from '../src/kernel/ids.ts'
import { type Keyring, openKeyring } from '../src/kernel/keyring.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { type Ground, own_of, type Span } from './growth-fill.ts'
import { requests, type Step } from './growth-load.ts'
import { card, readRequest } from './requests.ts'

const per_second = 50

type Asked = { path: string; query?: (ground: Ground) => Record<string, string> }

const payments = '/v1/payments'
const sessions = '/v1/checkout/sessions'
const events = '/v1/events'
const disputes = '/v1/disputes'

const last4 = card.number.slice(-4)

export const listSteps: Step[] = [
  { name: '50 payments, the newest', round: (ground) => lists(ground, { path: payments }) },
  { name: '50 payments, anywhere', round: (ground) => anywhere(ground, payments) },
  {
    name: '50 payments of one mode, anywhere',
    round: (ground) => anywhere(ground, payments, { mode: 'test' }),
  },
  {
    name: '50 declined ones, anywhere',
    round: (ground) => anywhere(ground, payments, { status: 'declined' }),
  },
  {
    name: '50 of one card’s last four, anywhere',
    round: (ground) => anywhere(ground, payments, { card_last4: last4 }),
  },
  {
    name: 'payments by email',
    round: (ground) => lists(ground, { path: payments, query: emailOf }),
  },
  {
    name: 'payments by an amount that nobody paid',
    round: (ground) => anywhere(ground, payments, { amount: 1 }),
  },
  { name: '50 sessions, anywhere', round: (ground) => anywhere(ground, sessions) },
  { name: '50 events, anywhere', round: (ground) => anywhere(ground, events) },
  { name: '50 disputes, anywhere', round: (ground) => anywhere(ground, disputes) },
]

/** The email of one of the merchant's payments, as the fill makes it. */
function emailOf({ size }: Ground): Record<string, string> {
  const mark = createHash('md5')
    .update(String(randomInt(size / own_of) * own_of))
    .digest('hex')
  return { customer_email: `${mark}@example.com` }
}

function lists(ground: Ground, { path, query }: Asked): Promise<number[]> {
  return requests(ground, per_second, () => {
    const asked = new URLSearchParams({ limit: '50', ...query?.(ground) })
    return { request: readRequest(ground.service.secret_key, `${path}?${asked}`), expected: 200 }
  })
}

type Filters = { mode?: string; status?: string; card_last4?: string; amount?: number }

/** Pages under cursors of any time but the oldest quarter of it, so that each is full at every size. */
function anywhere(ground: Ground, path: string, filters: Filters = {}): Promise<number[]> {
  const { service, span, data_dir } = ground
  const keyring = keyringOf(data_dir)
  const scope = scopeOf(path, service.merchant_id, filters)
  const query = () => {
    const at = idsFrom(new Date(randomInt(oldestOf(span), span.to_ms)))
    const position = at + randomBytes(path === payments || path === disputes ? 12 : 10).toString('hex')
    const texts = Object.entries(filters).map(([name, value]) => [name, String(value)])
    return { ...Object.fromEntries(texts), after: cursorAfter(keyring, scope, position) }
  }
  return lists(ground, { path, query })
}

function scopeOf(path: string, merchant_id: string, filters: Filters) {
  const { mode, status, card_last4, amount } = filters
  const span = [mode, undefined, undefined]
  if (path === payments) {
    const own = [status, undefined, card_last4, undefined, amount, undefined, undefined]
    return { purpose: 'payment cursor', merchant_id, filters: [...span, ...own] }
  }
  const purpose = purposes[path]!
  return { purpose, merchant_id, filters: [...span, undefined, undefined] }
}

const purposes: Record<string, string> = {
  [sessions]: 'session cursor',
  [events]: 'event cursor',
  [disputes]: 'dispute cursor',
}

/** The oldest quarter is left out. */
export function oldestOf({ from_ms, to_ms }: Span): number {
  return Math.ceil(from_ms + (to_ms - from_ms) / 4)
}

export function keyringOf(data_dir: string): Keyring {
  const { random } = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
  return openKeyring(keepMasterKey(data_dir, random), random)
}
