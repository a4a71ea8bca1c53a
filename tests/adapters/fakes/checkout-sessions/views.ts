// A fake session as Checkout.com shows it, and the AReq that the vendor's 3DS Server makes of it.

import { currencyOf } from '../../../../src/kernel/values.ts'
import type { CreateBody } from './judge.ts'

type Message = Record<string, unknown>

export type FakeSession = {
  id: string
  transaction_id: string
  body: CreateBody
  version: string
  /** `processing` until the bank has answered. */
  ares: Message | null
  rreq: Message | null
  next_actions: string[]
  created_at: Date
}

const statuses: Record<string, string> = {
  Y: 'approved',
  A: 'attempted',
  N: 'declined',
  R: 'rejected',
  U: 'unavailable',
  I: 'unavailable',
  C: 'challenged',
}

export function sessionView(session: FakeSession): object {
  const { id, transaction_id, version, ares, rreq } = session
  const final = rreq ?? ares
  const shown = { id, session_secret: 'sek_fake', transaction_id, scheme: 'visa', _links: {} }
  const { amount, currency, reference } = session.body
  const known = { ...shown, amount, currency, reference, protocol_version: version }
  if (!final) return { ...known, status: 'processing', next_actions: session.next_actions }
  if (final.messageType === 'Erro') {
    const failed = { status: 'unavailable', response_code: 'U', status_reason: 'ares_error' }
    return { ...known, ...failed, next_actions: ['complete'] }
  }
  const letter = final.transStatus as string
  const cancel = final.challengeCancel as string | undefined
  const abandoned = cancel === '04' || cancel === '05'
  return {
    ...known,
    status: abandoned ? 'challenge_abandoned' : statuses[letter],
    ...(letter !== 'C' && { response_code: letter }),
    response_status_reason: final.transStatusReason ?? null,
    eci: final.eci ?? null,
    cryptogram: final.authenticationValue ?? null,
    cardholder_info: final.cardholderInfo ?? null,
    ds: { transaction_id: ares!.dsTransID, reference_number: ares!.dsReferenceNumber },
    acs: {
      transaction_id: ares!.acsTransID,
      url: ares!.acsURL ?? null,
      challenge_cancel_reason_code: cancel ?? null,
    },
    next_actions: letter === 'C' ? ['challenge_cardholder'] : ['complete'],
  }
}

export function areqOf(session: FakeSession, acctNumber: string, completion: string): object {
  const { source, channel_data: browser, billing_descriptor, completion: back } = session.body
  const { numeric, exponent } = currencyOf(session.body.currency)!
  const { javascript_enabled: scripted, ip_address } = browser!
  return {
    messageType: 'AReq',
    messageVersion: session.version,
    messageCategory: '01',
    deviceChannel: '02',
    transType: '01',
    threeDSRequestorAuthenticationInd: '01',
    threeDSServerTransID: session.transaction_id,
    threeDSCompInd: completion,
    acctNumber,
    acquirerBIN: '400000',
    acquirerMerchantID: 'CKO',
    mcc: '5499',
    merchantCountryCode: '826',
    merchantName: billing_descriptor?.name ?? 'Merchant',
    threeDSRequestorURL: 'https://checkout.example',
    ...(source.email && { email: source.email }),
    purchaseAmount: String(session.body.amount),
    purchaseCurrency: numeric,
    purchaseExponent: String(exponent),
    purchaseDate: '20260901120000',
    notificationURL: back.challenge_notification_url,
    browserAcceptHeader: browser!.accept_header,
    browserUserAgent: browser!.user_agent,
    browserLanguage: browser!.language,
    ...(ip_address && { browserIP: ip_address }),
    ...(session.version !== '2.1.0' && { browserJavascriptEnabled: scripted }),
    browserJavaEnabled: browser!.java_enabled,
    browserColorDepth: browser!.color_depth,
    browserScreenHeight: browser!.screen_height,
    browserScreenWidth: browser!.screen_width,
    browserTZ: browser!.timezone,
  }
}
