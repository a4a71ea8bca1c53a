// The kinds of changes by which people look through the journal: each change belongs to one, by what stands before its dot.

export const auditKinds = {
  payments: [
    ...['session', 'sessions', 'attempt', 'charge', 'authorise', 'capture', 'void', 'refund'],
    ...[
      'reverse',
      'payment',
      'payment_intent',
      'operation',
      'receipt',
      'checkout',
      'dispute',
      'payout',
      'payment_link',
    ],
  ],
  holds: ['hold'],
  webhooks: ['endpoint', 'delivery'],
  keys: ['key', 'publishable_key'],
  integrations: ['integration'],
  connections: ['connection'],
  team: ['link', 'member', 'members', 'refund_limit'],
  sign_in: [
    ...['sign_in', 'user', 'identity', 'passkey', 'password', 'one_time_codes'],
    ...['recovery_code', 'recovery_codes'],
  ],
  reading: ['audit', 'export'],
  account: ['merchant', 'orphan', 'orphans', 'brake', 'findings'],
} as const satisfies Record<string, readonly string[]>

export type AuditKind = keyof typeof auditKinds

export const audit_kind_names = Object.keys(auditKinds) as [AuditKind, ...AuditKind[]]
