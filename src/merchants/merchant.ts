// A merchant's account: whether it may act, and whether its sessions may move real money.

import { z } from 'zod'
import { Refusal } from '../kernel/errors.ts'
import { type Brand, brands, type MerchantId, type Mode } from '../kernel/values.ts'
import { isCountry } from './country.ts'

export type Merchant = {
  merchant_id: MerchantId
  routing: number
  name: string
  status: 'active' | 'suspended'
  /** The account is a live one. */
  live: boolean
  /** The live toggle. */
  live_enabled: boolean
  acquiring_profile: Record<string, unknown> | null
  created_at: Date
}

/** One value for all brands of card, or one for each brand. */
function byBrand(value: z.ZodString) {
  return z.union([value, z.partialRecord(z.enum(brands), value)])
}

/** What live card payments need. */
const acquiringProfile = z.looseObject({
  /** The label of the acquirer connection. */
  acquirer: z.string().min(1),
  /** The label of the acquirer connection that gets a charge after a soft decline at the first; left out if there is none. */
  fallback_acquirer: z.string().min(1).optional(),
  /** The label of the 3-D Secure connection; left out if there is none. */
  three_ds: z.string().min(1).optional(),
  /** The name on the shopper's card statement. */
  descriptor_name: z.string().min(1).max(22),
  mcc: z.string().regex(/^\d{4}$/),
  /** ISO 3166-1, two letters or three digits. */
  country: z.string().refine(isCountry),
  /** Used only for 3-D Secure. */
  acquirer_bin: byBrand(z.string().regex(/^\d{1,11}$/)).optional(),
  acquirer_merchant_id: byBrand(z.string().min(1).max(35)).optional(),
})
export type AcquiringProfile = z.infer<typeof acquiringProfile>

/** The profile, or the names of its missing members. */
export function readAcquiringProfile(
  profile: Merchant['acquiring_profile'],
): { profile: AcquiringProfile } | { missing: string[] } {
  return profile === null ? without : judged(profile)
}

/** Throws `invalid_request` for a profile whose fallback is its own acquirer. An incomplete profile is let through. */
export function refuseOwnFallback(profile: Merchant['acquiring_profile']): void {
  const { acquirer, fallback_acquirer } = profile ?? {}
  if (fallback_acquirer === undefined || fallback_acquirer !== acquirer) return
  throw new Refusal(
    'invalid_request',
    'fallback_acquirer: names the same connection as acquirer. Name another one, or leave it out.',
    { field: 'fallback_acquirer' },
  )
}

// Most test accounts have no profile, and every payment asks for it.
const without = judged({})

function judged(profile: object): { profile: AcquiringProfile } | { missing: string[] } {
  const result = acquiringProfile.safeParse(profile)
  if (result.success) return { profile: result.data }
  return { missing: [...new Set(result.error.issues.map((issue) => String(issue.path[0])))] }
}

/** The profile if it is complete. Test mode needs none. */
export function completeProfileOf({ acquiring_profile }: Pick<Merchant, 'acquiring_profile'>): AcquiringProfile | null {
  const reading = readAcquiringProfile(acquiring_profile)
  return 'profile' in reading ? reading.profile : null
}

/** The profile's value for a brand; null if it has none. */
export function ofBrand(
  setting: AcquiringProfile['acquirer_bin' | 'acquirer_merchant_id'],
  brand: Brand,
): string | null {
  return (typeof setting === 'string' ? setting : setting?.[brand]) ?? null
}

/** The mode is live only if the account, its live toggle, the integration and the key all allow it. */
export function modeOf(by: {
  merchant: Pick<Merchant, 'live' | 'live_enabled'>
  integration: { mode_setting: 'auto' | 'test' } | null
  key_mode: 'any' | 'test_only' | 'live_only'
}): Mode {
  const { merchant, integration, key_mode } = by
  const live =
    merchant.live && merchant.live_enabled && integration?.mode_setting === 'auto' && key_mode !== 'test_only'
  return live ? 'live' : 'test'
}
