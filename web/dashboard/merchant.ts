// Where a person is: at the merchant and in the mode of the address, or at what belongs to no merchant; and what they may do there.

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

/** Somebody without a merchant has their account, and an operator the installation. */
export type Lobby = Pick<Here, 'me' | 'pathOf'> & { membership: null }

export type Place = Here | Lobby

export const PlaceContext = createContext<Place | null>(null)

export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (!place) throw new Error('a screen outside of the frame')
  return place
}

export function useHere(): Here {
  const place = usePlace()
  if (!place.membership) throw new Error('a screen outside of a merchant')
  return place
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

export function newLobby(me: Me): Lobby {
  return { me, membership: null, pathOf: (screen) => `/${screen}` }
}

const kept_as = 'ripper-dashboard-place'

/** Where a person without an address goes: the merchant and mode of the last time, else the first merchant. */
export function landingOf(me: Me): { membership: Membership; mode: Mode } | null {
  const [merchant_id, mode] = keptPlace().split('/')
  const kept = me.memberships.find((each) => each.merchant_id === merchant_id)
  const membership = kept ?? me.memberships[0]
  if (!membership) return null
  if (kept && (mode === 'live' || mode === 'test')) return { membership, mode }
  return { membership, mode: membership.is_live ? 'live' : 'test' }
}

/** The next visit begins here; without a mode, in the one that the merchant is in. */
export function keepPlace(merchant_id: string, mode: Mode | null): void {
  try {
    localStorage.setItem(kept_as, `${merchant_id}/${mode ?? ''}`)
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
