// Which screen shows what an id names, below the merchant's place. On a list with all of a kind `row` says which one is meant.

import type { ScreenName } from './screen-names.ts'

type Place = { screen: ScreenName; path: string }

const showing: Record<string, (id: string) => Place> = {
  pay: (id) => ({ screen: 'payments', path: `payments/${id}` }),
  // A session is shown by its newest payment.
  cs: (id) => ({ screen: 'payments', path: `payments/${id}` }),
  plink: (id) => ({ screen: 'links', path: `links/${id}` }),
  ref: (id) => ({ screen: 'refunds', path: `refunds?refund_id=${id}` }),
  req: (id) => ({ screen: 'requests', path: `requests?request_id=${id}` }),
  whep: (id) => ({ screen: 'webhooks', path: `webhooks?row=${id}` }),
  evt: () => ({ screen: 'webhooks', path: 'webhooks' }),
  key: (id) => ({ screen: 'keys', path: `keys?row=${id}` }),
  rip_pk: (id) => ({ screen: 'keys', path: `keys?row=${id}` }),
  int: (id) => ({ screen: 'integrations', path: `integrations?row=${id}` }),
  conn: (id) => ({ screen: 'connections', path: `connections?row=${id}` }),
  usr: (id) => ({ screen: 'team', path: `team?row=${id}` }),
  lnk: (id) => ({ screen: 'team', path: `team?row=${id}` }),
}

/** Null where no screen shows it. */
export function screenOfId(id: string): Place | null {
  const [, kind = ''] = /^([a-z_]+)_[0-9a-z]{8,}$/i.exec(id) ?? []
  const shown = showing[kind.toLowerCase()]
  return shown ? shown(id) : null
}

/** Where a secret in the text belongs; null without one. A secret must come into no address, which logs and histories keep. */
export function screenOfSecret(text: string): 'keys' | 'webhooks' | null {
  if (/rip_sk_/i.test(text)) return 'keys'
  return /whsec_/i.test(text) ? 'webhooks' : null
}
