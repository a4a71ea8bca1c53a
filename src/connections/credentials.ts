// What the credentials file may hold of each connector that is not built in yet. Unknown members are refused by name, and nothing repeats a value.

import { z } from 'zod'
import { apiUrl, secret } from '../acquirers/credential-fields.ts'

const hexKey = secret.regex(/^([0-9a-f]{2})+$/i, 'must be hexadecimal digits')

export const adyenCredentials = z
  .strictObject({
    api_key: secret,
    merchant_account: secret,
    hmac_key: hexKey,
    /** The company's own part of the live address. */
    live_prefix: secret.regex(/^[a-z0-9-]+$/i, 'must be letters, digits and dashes').optional(),
    notice_user: secret.optional(),
    notice_password: secret.optional(),
    api_url: apiUrl,
  })
  .superRefine(({ notice_user, notice_password }, { addIssue }) => {
    if ((notice_user === undefined) === (notice_password === undefined)) return
    const [lacking, given] =
      notice_user === undefined
        ? ['notice_user', 'notice_password']
        : ['notice_password', 'notice_user']
    addIssue({ code: 'custom', path: [lacking], message: `is required beside ${given}` })
  })

export const threeDsecureIoCredentials = z.strictObject({ api_key: secret, api_url: apiUrl })
