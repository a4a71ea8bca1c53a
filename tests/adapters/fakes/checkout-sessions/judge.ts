// What Checkout.com's Sessions take, member by member: whatever is not here is refused, so that a wrong spelling is seen at
// once.

import { z } from 'zod'

const text = (most: number) => z.string().min(1).max(most)
const digits = (form: RegExp) => z.string().regex(form)

const channel = z.strictObject({
  channel: z.literal('browser'),
  three_ds_method_completion: z.enum(['Y', 'N', 'U']),
  accept_header: text(2048),
  java_enabled: z.boolean(),
  javascript_enabled: z.boolean(),
  language: text(12),
  color_depth: digits(/^(1|4|8|15|16|24|32|48)$/),
  screen_height: digits(/^\d{1,6}$/),
  screen_width: digits(/^\d{1,6}$/),
  timezone: digits(/^-?\d{1,4}$/),
  user_agent: text(2048),
  ip_address: z.union([z.ipv4(), z.ipv6()]).optional(),
})

const create = z.strictObject({
  source: z.strictObject({
    type: z.literal('card'),
    number: digits(/^\d{13,19}$/),
    expiry_month: z.int().min(1).max(12),
    expiry_year: z.int().min(2000).max(2100),
    name: text(255).optional(),
    email: z.email().max(254).optional(),
  }),
  amount: z.int().min(1).max(999_999_999),
  currency: digits(/^[A-Z]{3}$/),
  processing_channel_id: digits(/^pc_[a-z0-9]{26}$/).optional(),
  authentication_type: z.literal('regular'),
  authentication_category: z.literal('payment'),
  challenge_indicator: z.literal('no_preference'),
  transaction_type: z.literal('goods_service'),
  reference: text(100),
  billing_descriptor: z.strictObject({ name: text(25) }).optional(),
  completion: z.strictObject({
    type: z.literal('non_hosted'),
    callback_url: z.url().max(256),
    challenge_notification_url: z.url().max(256),
  }),
  channel_data: channel.optional(),
})

const fingerprint = z.strictObject({ three_ds_method_completion: z.enum(['Y', 'N', 'U']) })

export const bodies = { create, fingerprint }
export type CreateBody = z.infer<typeof create>

const headers = new Set([
  ...['authorization', 'accept', 'content-type', 'content-length'],
  ...['host', 'connection', 'user-agent', 'transfer-encoding'],
])

/** The first header that nobody asked for; null where all are known. */
export function strangeHeader(names: string[]): string | null {
  return names.find((name) => !headers.has(name)) ?? null
}
