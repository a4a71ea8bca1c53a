// The filters of the journal in the page's address, and which changes a text means in the words of the page.

import english from '../../words/dashboard/en.json' with { type: 'json' }
import type { Routes } from '../client/routes.ts'
import { changeWords, operation_changes } from '../parts/change.ts'
import { say } from '../words.ts'

type Query = Routes['GET /{merchant_id}/audit']['query']
export type AuditKind = Exclude<NonNullable<Query['kind']>, number>

/** The kinds of actions, and how each is called. */
export const kindWords: Record<AuditKind, () => string> = {
  payments: () => say('nav_payments'),
  holds: () => say('nav_holds'),
  webhooks: () => say('nav_webhooks'),
  keys: () => say('nav_keys'),
  integrations: () => say('nav_integrations'),
  connections: () => say('nav_connections'),
  team: () => say('nav_team'),
  sign_in: () => say('audit_kind_sign_in'),
  reading: () => say('audit_kind_reading'),
  account: () => say('audit_kind_account'),
}

const names = ['search', 'actor', 'created_from', 'created_before'] as const
export type Filters = { [Name in (typeof names)[number]]?: string | undefined } & {
  kind?: AuditKind | undefined
  /** What anybody did, shoppers and rules too. Left out, it is what people did, unless one actor or a text is looked for. */
  by?: 'all' | undefined
}

export function filtersIn(search: URLSearchParams): Filters {
  const texts = names.flatMap((name) => {
    const value = search.get(name)
    return value ? [[name, value]] : []
  })
  const kind = kindNamed(search.get('kind'))
  return { ...Object.fromEntries(texts), ...(kind && { kind }), ...(search.get('by') === 'all' && { by: 'all' }) }
}

/** An address may name a kind that there is not. */
export function kindNamed(name: string | null): AuditKind | undefined {
  return (Object.keys(kindWords) as AuditKind[]).find((each) => each === name)
}

/** Below the merchant and mode. */
export function addressOf(filters: Filters): string {
  const set = Object.entries(filters).filter(([, value]) => value)
  const search = new URLSearchParams(set as [string, string][]).toString()
  return search ? `audit?${search}` : 'audit'
}

/** What the route of the journal takes. */
export function queryOf({ by, ...filters }: Filters) {
  const meant = filters.search && changesMeant(filters.search).join(',')
  const is_by_people = by !== 'all' && !filters.actor && !filters.search
  return { ...filters, ...(meant && { meant }), ...(is_by_people && { by: 'people' as const }) }
}

/** By the keys of their words, in which a dot is an underscore. */
const changes = [...Object.keys(english).flatMap((key) => /^change_(\w+)$/.exec(key)?.[1] ?? []), ...operation_changes]

function changesMeant(text: string): string[] {
  const typed = text.trim().toLocaleLowerCase()
  return changes
    .filter((code) => changeWords(code).toLocaleLowerCase().includes(typed))
    .map((code) => code.replace('.', '_'))
}
