// People as rows: their account, and what of it others may see.

import { unshown } from '../kernel/values.ts'
import type { Role } from './roles.ts'

export type User = {
  user_id: string
  email: string
  name: string
  is_operator: boolean
  password_hash: string | null
  old_hashes: string[]
  totp_sealed: Buffer | null
  totp_pending: Buffer | null
  totp_last_step: number
  tries: number
  locked_until: Date | null
  known_since: Date | null
  created_at: Date
  seen_at: Date | null
  warned_at: Date | null
  disabled_at: Date | null
}

export type NewUser = Pick<User, 'user_id' | 'email' | 'name' | 'is_operator' | 'created_at'> & {
  password_hash: string | null
}

export type Membership = {
  merchant_id: string
  user_id: string
  role: Role
  /** As the journal names its author. */
  invited_by: string | null
  created_at: Date
  reviewed_at: Date | null
}

/** As it is stored and compared; null for what is no address. */
export function plainEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) && !unshown.test(email) ? email : null
}

/** A person's name without white space around it; null for one that is none. */
export function plainName(text: string): string | null {
  const name = text.trim()
  return name.length >= 1 && name.length <= 100 && !unshown.test(name) ? name : null
}
