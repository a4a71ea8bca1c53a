// The merchant and the mode of the address, and what the person may do there.

import { createContext, useContext } from 'react'
import type { Me, Membership, Mode, Permission } from './client/answers.ts'

export type Here = {
  me: Me
  membership: Membership
  merchant_id: string
  mode: Mode
  /** The address of a screen of this merchant and mode, for links. */
  pathOf(screen: string): string
  may(permission: Permission): boolean
}

export const HereContext = createContext<Here | null>(null)

export function useHere(): Here {
  const here = useContext(HereContext)
  if (!here) throw new Error('a screen outside of a merchant')
  return here
}

export function newHere(me: Me, membership: Membership, mode: Mode): Here {
  const { merchant_id, permissions } = membership
  return {
    me,
    membership,
    merchant_id,
    mode,
    pathOf: (screen) => `/${merchant_id}/${mode}/${screen}`,
    may: (permission) => permissions[mode].includes(permission),
  }
}

const kept_as = 'ripper-dashboard-place'

/** Where a person without an address goes: the merchant and mode of the last time, else the first merchant. */
export function placeOf(me: Me): { membership: Membership; mode: Mode } | null {
  const [merchant_id, mode] = keptPlace().split('/')
  const membership = me.memberships.find((each) => each.merchant_id === merchant_id)
  if (membership) return { membership, mode: mode === 'live' ? 'live' : 'test' }
  const [first] = me.memberships
  return first ? { membership: first, mode: first.is_live ? 'live' : 'test' } : null
}

export function keepPlace({ merchant_id, mode }: Here): void {
  try {
    localStorage.setItem(kept_as, `${merchant_id}/${mode}`)
  } catch {
    // A browser that keeps nothing begins with the first merchant.
  }
}

function keptPlace(): string {
  try {
    return localStorage.getItem(kept_as) ?? ''
  } catch {
    return ''
  }
}
