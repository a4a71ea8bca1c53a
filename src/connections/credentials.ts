// What the credentials file of each connector may hold. Unknown members are refused by name, and nothing repeats a value.

import { z } from 'zod'

/** Sent as a header or a part of an address, so nothing in it may end either. */
const secret = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1,000 characters')
  .regex(/^[\x21-\x7e]*$/, 'must be of ASCII characters without spaces')
const hexKey = secret.regex(/^([0-9a-f]{2})+$/i, 'must be hexadecimal digits')
/** Judged by `judgeApiUrl`, too. */
const api_url = secret.optional()

export const checkoutCredentials = z.strictObject({
  secret_key: secret,
  signature_key: secret,
  processing_channel_id: secret.optional(),
  /** The account's own part of the vendor's address. */
  prefix: secret
    .regex(/^(pl-)?[a-z0-9]+$/, 'must be lower case letters and digits, pl- before them or not')
    .optional(),
  api_url,
})

export const stripeCredentials = z.strictObject({
  secret_key: secret,
  webhook_secret: secret,
  api_url,
})

export const adyenCredentials = z
  .strictObject({
    api_key: secret,
    merchant_account: secret,
    hmac_key: hexKey,
    /** The company's own part of the live address. */
    live_prefix: secret.regex(/^[a-z0-9-]+$/i, 'must be letters, digits and dashes').optional(),
    notice_user: secret.optional(),
    notice_password: secret.optional(),
    api_url,
  })
  .superRefine(({ notice_user, notice_password }, { addIssue }) => {
    if ((notice_user === undefined) === (notice_password === undefined)) return
    const [lacking, given] =
      notice_user === undefined
        ? ['notice_user', 'notice_password']
        : ['notice_password', 'notice_user']
    addIssue({ code: 'custom', path: [lacking], message: `is required beside ${given}` })
  })

export const threeDsecureIoCredentials = z.strictObject({ api_key: secret, api_url })
