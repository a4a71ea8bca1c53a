// From a line of the journal to what a page shows that is old now.

export const changedKinds = ['payment', 'hold', 'operation', 'endpoint', 'key', 'integration', 'member'] as const
export type ChangedKind = (typeof changedKinds)[number]

/** The beginnings of changes, and what they make old. */
const concerned: [begin: string, kinds: ChangedKind[]][] = [
  ['payment.', ['payment', 'hold']],
  ['hold.', ['payment', 'hold']],
  ['capture.', ['payment', 'hold', 'operation']],
  ['void.', ['payment', 'hold', 'operation']],
  ['charge.', ['payment', 'operation']],
  ['refund.', ['payment', 'operation']],
  ['endpoint.', ['endpoint']],
  ['key.', ['key']],
  ['publishable_key.', ['key']],
  ['integration.', ['integration']],
  ['member.', ['member']],
]

export function kindsOf(change: string): ChangedKind[] {
  return concerned.find(([begin]) => change.startsWith(begin))?.[1] ?? []
}
