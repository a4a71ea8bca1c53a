// The screens of the navigation, in its order, and who may open them.

import type { Me, Membership, Mode, Permission } from '../client/answers.ts'

/** What a screen asks for: a permission in the mode of the page, or the operator's mark. */
const needs = {
  overview: 'read_transactions',
  payments: 'read_transactions',
  holds: 'read_transactions',
  refunds: 'read_transactions',
  disputes: 'read_transactions',
  payouts: 'read_transactions',
  links: 'read_transactions',
  sessions: 'read_transactions',
  webhooks: 'replay_deliveries',
  requests: 'read_requests',
  keys: 'manage_keys',
  integrations: 'manage_integrations',
  connections: 'manage_connections',
  team: 'manage_members',
  operations: 'read_transactions',
  audit: 'read_audit',
  merchants: 'operator',
  system: 'operator',
} as const satisfies Record<string, Permission | 'operator'>

export type ScreenName = keyof typeof needs

export const screens = Object.keys(needs) as ScreenName[]

export type GroupHeading = 'developers' | 'administration' | null

const groups: { heading: GroupHeading; names: ScreenName[] }[] = [
  { heading: null, names: ['overview', 'payments', 'holds', 'refunds', 'disputes', 'payouts', 'links', 'sessions'] },
  {
    heading: 'developers',
    names: ['webhooks', 'requests', 'keys', 'integrations', 'connections'],
  },
  { heading: 'administration', names: ['team', 'operations', 'audit', 'merchants', 'system'] },
]

/** Where somebody is; without a merchant there is no mode. */
type Place = { me: Pick<Me, 'user'> } & ({ membership: Membership; mode: Mode } | { membership: null })

/** Whether the person may open the screen where they are. */
export function opens(place: Place, name: ScreenName): boolean {
  const need = needs[name]
  if (need === 'operator') return place.me.user.is_operator
  return place.membership !== null && grants(place.membership, name, place.mode)
}

/** Whether the role of a membership opens the screen. A list that shows both modes alike opens by the permission in one of them. */
export function grants({ permissions }: Pick<Membership, 'permissions'>, name: ScreenName, mode: Mode): boolean {
  const need = needs[name]
  if (need === 'operator') return false
  return permissions[name === 'keys' ? 'test' : mode].includes(need)
}

export function screensOf(place: Place): ScreenName[] {
  return screens.filter((name) => opens(place, name))
}

/** The groups of the navigation that have something for the person. */
export function groupsOf(place: Place) {
  return groups
    .map(({ heading, names }) => ({ heading, names: names.filter((each) => opens(place, each)) }))
    .filter(({ names }) => names.length > 0)
}
