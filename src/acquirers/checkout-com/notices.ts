// The notices that Checkout.com posts to us. The signature covers the body but no time, so a notice may be old or repeated. It
// only suggests what to look up, and the look-up decides.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { NotGenuine, type Notice, type NoticePost, type Suggestion } from '../acquirer.ts'
import { suggests } from '../answers.ts'
import type { NoticeKey } from '../connector.ts'
import { jsonIn } from '../wire.ts'
import { type CheckoutCredentials, isOfSandbox } from './credentials.ts'
import { disputeIn } from './disputes.ts'
import { referenceRead } from './requests.ts'

type Meaning = { about: Notice['about']; outcome?: Suggestion['outcome'] }

/**
 * From the published list of 2025-12, www.checkout.com/docs/workflows/view-events. Left out are payouts, returns of bank debits, reviews and
 * retries, which requests do not ask for, and verified cards: no money moves.
 */
const meanings: Record<string, Meaning> = {
  payment_approved: { about: 'authorise', outcome: 'approved' },
  payment_declined: { about: 'authorise', outcome: 'refused' },
  payment_pending: { about: 'authorise' },
  payment_canceled: { about: 'authorise', outcome: 'refused' },
  payment_authorization_incremented: { about: 'authorise' },
  payment_expired: { about: 'expiry' },
  payment_captured: { about: 'capture', outcome: 'approved' },
  payment_capture_declined: { about: 'capture', outcome: 'refused' },
  payment_capture_pending: { about: 'capture' },
  payment_voided: { about: 'void', outcome: 'approved' },
  payment_void_declined: { about: 'void', outcome: 'refused' },
  payment_refunded: { about: 'refund', outcome: 'approved' },
  payment_refund_declined: { about: 'refund', outcome: 'refused' },
  payment_refund_pending: { about: 'refund' },
}

/** Others who use the account may leave a reference empty. */
const text = z
  .string()
  .nullish()
  .transform((words) => words || null)

/** Events of other types need not have the form of those that are read. */
const kind = z.object({ type: z.string().refine((type) => meaningOf(type) === undefined) })

const event = z.object({
  id: z.string().min(1).max(100),
  type: z.string(),
  created_on: text,
  timestamp: text,
  data: z.looseObject({
    id: text,
    payment_id: text,
    action_id: text,
    reference: text,
    payment_reference: text,
    processed_on: text,
    metadata: z.record(z.string(), z.unknown()).nullish().default(null),
  }),
})

type Event = z.infer<typeof event>

/** The header's name in lower case. */
const signature_header = 'cko-signature'

/** Throws NotGenuine. A notice that does not concern us is skipped. */
export function noticesIn(
  { headers, body }: NoticePost,
  { credentials, installation }: NoticeKey<CheckoutCredentials>,
): Notice[] {
  if (!isSigned(headers[signature_header] ?? '', body, credentials.signature_key)) {
    throw new NotGenuine('the signature is not of this body')
  }
  const json = jsonIn(body)
  if (kind.safeParse(json ?? typeIn(body)).success) return []
  const theirEvent = event.safeParse(json).data
  if (!theirEvent) throw new NotGenuine('the body is no event')
  const notice = noticeOf(theirEvent, meaningOf(theirEvent.type)!, installation)
  if (notice.about !== 'dispute') return [notice]
  const status = theirEvent.type.slice('dispute_'.length)
  const told = disputeIn(theirEvent.data, { status, is_sandbox: isOfSandbox(credentials) })
  if (told === null) return [notice]
  const { their_payment_id: _, ...dispute } = told
  return [{ ...notice, dispute }]
}

/** Checkout.com has posted events that are not quite JSON. Their type still shows whether they are read. */
function typeIn(body: string): { type?: string | undefined } {
  return { type: /"type"\s*:\s*"(\w+)"/.exec(body)?.[1] }
}

/** Undefined if events of this type are not read. */
function meaningOf(type: string): Meaning | undefined {
  if (type.startsWith('dispute_')) return { about: 'dispute' }
  return Object.hasOwn(meanings, type) ? meanings[type] : undefined
}

function noticeOf({ id, type, data, ...times }: Event, { about, outcome }: Meaning, installation: string): Notice {
  const occurred_at = new Date(times.created_on ?? times.timestamp ?? data.processed_on ?? '')
  if (Number.isNaN(occurred_at.getTime())) throw new NotGenuine(`a ${type} without a time`)
  const authorisation_transaction_id = about === 'dispute' ? data.payment_id : data.id
  const is_charge = about === 'authorise' || about === 'expiry'
  const ourReference = referenceRead(about === 'dispute' ? data.payment_reference : data.reference)
  return {
    notice_id: id,
    about: ourReference?.is_reversal && !is_charge ? 'reverse' : about,
    reference: ourReference?.reference ?? null,
    acquirer_transaction_id: is_charge ? data.id : data.action_id,
    authorisation_transaction_id,
    answer: outcome === undefined ? null : suggests(outcome),
    occurred_at,
    is_ours: data.metadata && data.metadata.ripper_installation === installation,
  }
}

function isSigned(signature: string, body: string, key: string): boolean {
  const expected = createHmac('sha256', key).update(body).digest()
  const signature_bytes = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(32)
  // Even a malformed signature is compared, so that every refusal takes equally long.
  return timingSafeEqual(expected, signature_bytes)
}
