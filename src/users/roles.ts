// Who may do what, in one table by role and mode. The team page shows it, and the doors of the dashboard apply it.

import type { Mode } from '../kernel/values.ts'

export const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const
export type Role = (typeof roles)[number]

export const staffPermissions = [
  'read_transactions',
  'read_shoppers',
  'decide_holds',
  'refund_payments',
  'create_payments',
  'replay_deliveries',
  'manage_webhooks',
  'read_requests',
  'manage_keys',
  'manage_integrations',
  'manage_connections',
  'export_transactions',
  'resolve_operations',
  'manage_members',
  'read_audit',
  'manage_account',
] as const
export type StaffPermission = (typeof staffPermissions)[number]

/** The modes in which a role has a permission; a role that is left out does not have it. */
const table: Record<StaffPermission, Partial<Record<Role, 'both' | 'test'>>> = {
  /** Payments, sessions, events, the overview. */
  read_transactions: grant('owner', 'admin', 'developer', 'support', 'viewer'),
  /** E-mail, name and metadata of shoppers, which others see masked. */
  read_shoppers: { ...grant('owner', 'admin', 'support'), developer: 'test' },
  decide_holds: { ...grant('owner', 'admin', 'support'), developer: 'test' },
  /** Support may do so up to the limits that owners and admins have set. */
  refund_payments: grant('owner', 'admin', 'support'),
  create_payments: { ...grant('owner', 'admin'), developer: 'test' },
  replay_deliveries: grant('owner', 'admin', 'developer', 'support'),
  manage_webhooks: grant('owner', 'admin', 'developer'),
  read_requests: grant('owner', 'admin', 'developer'),
  /** Developers may only manage keys for test mode. */
  manage_keys: { ...grant('owner', 'admin'), developer: 'test' },
  manage_integrations: grant('owner', 'admin', 'developer'),
  /**
   * Accounts at acquirers and 3-D Secure providers, with their credentials. Developers may only manage those of
   * sandboxes.
   */
  manage_connections: { ...grant('owner', 'admin'), developer: 'test' },
  export_transactions: grant('owner', 'admin'),
  resolve_operations: grant('owner', 'admin'),
  /** Only owners make, change and remove owners. */
  manage_members: grant('owner', 'admin'),
  read_audit: grant('owner', 'admin'),
  /** The live switch, the profile, owners. */
  manage_account: grant('owner'),
}

function grant(...to: Role[]): Partial<Record<Role, 'both'>> {
  return Object.fromEntries(to.map((role) => [role, 'both']))
}

export function may(role: Role, permission: StaffPermission, mode: Mode): boolean {
  const modes = table[permission][role]
  return modes === 'both' || modes === mode
}

export type PermissionsByMode = Record<Mode, StaffPermission[]>

export function permissionsOf(role: Role): PermissionsByMode {
  const inMode = (mode: Mode) => staffPermissions.filter((each) => may(role, each, mode))
  return { test: inMode('test'), live: inMode('live') }
}
