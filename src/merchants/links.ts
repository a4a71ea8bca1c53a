// The merchant's links on its pages: terms, support, and the way back to the shop.

import { z } from 'zod'
import type { Mode } from '../kernel/values.ts'
import type { IntegrationRules } from './integration.ts'

export const link_names = ['terms_url', 'support_url', 'back_url'] as const

export type Links = Pick<IntegrationRules, (typeof link_names)[number]>

export const linksView = z
  .object({
    terms_url: z.string().nullable(),
    support_url: z.string().nullable(),
    back_url: z.string().nullable(),
  })
  .meta({ title: 'Links', note: 'The merchant’s links below the checkout.' })

/** The links that shoppers see. An address of this machine leads nowhere in live mode, so it is left out there. */
export function viewLinks(integration: Links, mode: Mode): Links {
  const viewUrl = (url: string | null) => (url && mode === 'live' && !isSecure(url) ? null : url)
  return {
    terms_url: viewUrl(integration.terms_url),
    support_url: viewUrl(integration.support_url),
    back_url: viewUrl(integration.back_url),
  }
}

const length_max = 2000

/** Why a text cannot be a link, or null if it can. A link is https, or http on this machine for sessions in test mode. */
export function linkFault(text: string): string | null {
  // The parser accepts spaces, line breaks and missing slashes, but a page would show them.
  if (text.length > length_max) return `must have at most ${length_max} characters`
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) {
    return 'must be an absolute https URL'
  }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'must not have a user name or password in it'
  if (isSecure(text) || isLocal(text)) return null
  return 'must be an https URL; http only for localhost, and shown in test mode alone'
}

function isSecure(url: string): boolean {
  return new URL(url).protocol === 'https:'
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}
