// Requests to 3dsecure.io: EMVCo's AReq without the fields that the vendor adds itself, and the two calls around it.

import type { Mode } from '../../kernel/values.ts'
import type { WireRequest } from '../../vendor-wire/wire.ts'
import { identityFields, purchaseFields } from '../emv/areq.ts'
import { faultOfFields, fieldRules } from '../emv/field-rules.ts'
import { type AuthenticationRequest, ProfileIncomplete, ProviderUnavailable } from '../three-ds.ts'
import { apiUrlOf, type ThreeDsecureIoCredentials } from './credentials.ts'

export type ThreeDsecureIoAccount = { credentials: ThreeDsecureIoCredentials; mode: 'live' | 'sandbox' }

/** A shopper waits for each of these. The vendor gives a Directory Server 10 s, and then says so: docs.3dsecure.io, `/auth`, 2026-05-12. */
export const timeouts = {
  preauth: { ms: 5_000 },
  auth: { ms: 12_000 },
  postauth: { ms: 5_000 },
} as const

export function preauthRequest(number: string, account: ThreeDsecureIoAccount): WireRequest {
  return post('preauth', { acctNumber: number }, account)
}

/** Throws ProfileIncomplete or ProviderUnavailable if the fields are not valid; nothing may be sent then. */
export function authRequest(
  request: AuthenticationRequest,
  { mode, ...account }: ThreeDsecureIoAccount & { mode: 'live' | 'sandbox' },
): WireRequest {
  const { origin } = new URL(request.notification_url)
  const payment_mode: Mode = mode === 'live' ? 'live' : 'test'
  const requestor = { requestor_url: origin, requestor_name: request.merchant.name }
  const areq = purchaseFields(request, { mode: payment_mode, ...requestor })
  const fault = faultOfFields(areq, ownRules)
  const lacking = (fault?.fields ?? []).flatMap((field) => membersOf[field] ?? [])
  if (lacking.length > 0) {
    const words = lacking.map((member) => `${member} for ${request.brand}`).join(', ')
    throw new ProfileIncomplete(`the acquiring profile lacks ${words}, which 3-D Secure needs`)
  }
  if (fault) throw new ProviderUnavailable(`our AReq is not valid: ${fault.fields.join(', ')}`)
  const { sendable } = request
  return { ...post('auth', areq, { ...account, mode }), ...(sendable && { sendable }) }
}

export function postauthRequest(server_transaction_id: string, account: ThreeDsecureIoAccount): WireRequest {
  return post('postauth', { threeDSServerTransID: server_transaction_id }, account)
}

const vendors_own: readonly string[] = identityFields
const ownRules = Object.fromEntries(Object.entries(fieldRules.AReq).filter(([field]) => !vendors_own.includes(field)))

/** The members of the acquiring profile that become fields of an AReq. */
const membersOf: Record<string, string> = {
  acquirerBIN: 'acquirer_bin',
  acquirerMerchantID: 'acquirer_merchant_id',
}

function post(step: keyof typeof timeouts, body: object, account: ThreeDsecureIoAccount): WireRequest {
  const { credentials, mode } = account
  return {
    method: 'POST',
    url: `${apiUrlOf(credentials, mode)}/${step}`,
    headers: {
      APIKey: credentials.api_key,
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json',
    },
    body: JSON.stringify(body),
    timeout_ms: timeouts[step].ms,
  }
}
