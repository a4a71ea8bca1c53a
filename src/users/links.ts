// Links by which people come in: a welcome, an invitation, a reset. The secret is in the fragment, so that no proxy
// logs it. Only its hash is stored.

import { insertLine } from '../audit/journal-store.ts'
import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { findLink, insertLink, type NamedLink, type SignInLink, withdrawAlike } from './link-store.ts'
import { hashOfSecret } from './session.ts'
import type { UsersContext } from './start-session.ts'
import { type Author, personLine } from './user-journal.ts'

const lifetimes: Record<SignInLink['purpose'], number> = {
  welcome: 24 * 3600_000,
  invite: 72 * 3600_000,
  reset: 60 * 60_000,
}

/** Who a link is for. `user_id` is set if the link resets that account. */
export type NewLink = Pick<SignInLink, 'purpose' | 'email' | 'user_id' | 'merchant_id' | 'role' | 'is_operator'>

export type MadeLink = { link: SignInLink; url: string }

type LinkContext = Pick<UsersContext, 'ids'> & {
  world: Pick<UsersContext['world'], 'clock'>
  addresses: Pick<UsersContext['addresses'], 'dashboard_url'>
}

/** Makes a link, which replaces earlier ones for the same purpose. Its address is shown here and never again. */
export function makeLink(
  context: LinkContext & Pick<UsersContext, 'sql'>,
  request: NewLink,
  author: Author,
): Promise<MadeLink> {
  return context.sql.begin((tx) => makeLinkIn(tx, context, request, author))
}

/** Does the same inside a transaction of the caller. */
export async function makeLinkIn(
  tx: AnySql,
  context: LinkContext,
  request: NewLink,
  author: Author,
): Promise<MadeLink> {
  const { ids, world, addresses } = context
  const at = world.clock.now()
  const secret = ids.personSecret()
  const link: SignInLink = {
    ...request,
    link_id: ids.signInLink(),
    token_hash: hashOfSecret(secret),
    made_by: author.actor,
    created_at: at,
    expires_at: new Date(at.getTime() + lifetimes[request.purpose]),
    used_at: null,
    withdrawn_at: null,
  }
  const { link_id, purpose, user_id, merchant_id, role, is_operator } = link
  const detail = { purpose, role, is_operator, ...(user_id && { user_id }) }
  const fields = { subject: link_id, change: 'link.created', detail, at }
  await withdrawAlike(tx, link, at)
  await insertLink(tx, link)
  await insertLine(tx, personLine(context, author, { ...fields, ...(merchant_id && { merchant_id }) }))
  return { link, url: `${addresses.dashboard_url()}#${purpose}=${secret}` }
}

/** A link that can be used now. Throws `link_unknown`, `link_used`, `link_withdrawn` or `link_expired`. */
export async function openLink(
  { sql, world }: Pick<UsersContext, 'sql' | 'world'>,
  secret: string,
): Promise<NamedLink> {
  const link = await findLink(sql, hashOfSecret(secret))
  if (!link) throw new Refusal('link_unknown', 'There is no such link. Was it copied whole?')
  if (link.used_at !== null) throw linkUsed()
  if (link.withdrawn_at !== null) {
    throw new Refusal('link_withdrawn', 'This link was withdrawn, or a newer one has replaced it.')
  }
  if (link.expires_at <= world.clock.now()) {
    throw new Refusal('link_expired', 'This link has expired. Ask for a new one.')
  }
  return link
}

export function linkUsed(): Refusal {
  return new Refusal('link_used', 'This link was used already.')
}
