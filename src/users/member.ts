// Who is let through the doors of the dashboard, and how the others are refused.

import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { MerchantId, Mode } from '../kernel/values.ts'
import type { PageOrigin } from './page-origin.ts'
import type { Role, StaffPermission } from './roles.ts'
import type { FoundSession } from './session-store.ts'

/** A request that is let through, with where the page is. */
export type Visitor = { page: PageOrigin }

/** A person with their session. */
export type Person = Visitor & { session: FoundSession; user_id: string; is_operator: boolean }

/** A person at work for a merchant. Handlers of keyed routes may take them in place of a key. */
export type Member = Person & {
  merchant_id: MerchantId
  role: Role
  /** What the rule asked for. */
  permission: StaffPermission
  /** The mode that the rule found; null where the route has none. */
  mode: Mode | null
  can(permission: StaffPermission, mode: Mode): boolean
  /**
   * Judges them anew in the transaction that writes what they asked for, and locks what they are judged by. Returns them as
   * they are then; throws what the door throws.
   */
  judge(tx: AnySql): Promise<Member>
}

/** The member, whom the transaction that writes also judges by `refuse`, as they are then. */
export function judgedBy(member: Member, refuse: (now: Member) => void): Member {
  const judge = async (tx: AnySql) => {
    const now = await member.judge(tx)
    refuse(now)
    return now
  }
  return { ...member, judge }
}

export function permissionDenied(permission: StaffPermission): Refusal {
  return new Refusal('permission_denied', `Your role lacks the permission ${permission}.`)
}

/** A merchant that one is no member of is like one that does not exist. */
export function notThere(): Refusal {
  return new Refusal('resource_not_found', 'There is nothing with this id.')
}

export function signInRequired(): Refusal {
  return new Refusal('sign_in_required', 'Sign in first.')
}
