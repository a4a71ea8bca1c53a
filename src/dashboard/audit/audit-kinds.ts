// The kinds of changes by which people look through the journal: each change belongs to one, by what stands before its dot.

import type { AuditFilters } from './audit-store.ts'

export const audit_kinds = {
  payments: [
    ...['session', 'sessions', 'attempt', 'charge', 'authorise', 'capture', 'void', 'refund'],
    ...['reverse', 'payment', 'operation', 'receipt'],
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

export type AuditKind = keyof typeof audit_kinds

export const audit_kind_names = Object.keys(audit_kinds) as [AuditKind, ...AuditKind[]]

/** What the journal's lines say before the dot. */
export function beginningsOf(kind: AuditKind): NonNullable<AuditFilters['beginnings']> {
  return [...audit_kinds[kind]]
}
