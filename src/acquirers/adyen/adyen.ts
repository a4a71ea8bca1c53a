// Adyen as an acquirer. Its API cannot show a payment, so only notices report the outcome of a lost answer or of a request that
// was merely received. A charge that stays unanswered is cancelled by our reference.

import type { Brand } from '../../kernel/values.ts'
import {
  type Accepted,
  type Acquirer,
  type AuthoriseAnswer,
  type SettleAnswer,
  type SettleKind,
  type SettleRequest,
  Unanswered,
  type UnderWay,
} from '../acquirer.ts'
import { failed, refusedWith } from '../answers.ts'
import { type AcquirerConnection, type AcquirerConnector, type CheckAnswer, credentialsOf } from '../connector.ts'
import { afterRequest, isGood, type Wire, type WireAnswer, type WireRequest } from '../wire.ts'
import { authoriseAnswer, barredWords, isKeptError, settleAnswer } from './answers.ts'
import { type AdyenCredentials, adyenCredentials, apiUrlOf, environmentAt, isOfSandbox } from './credentials.ts'
import { partRefusal, unspeakable } from './currencies.ts'
import { noticesIn } from './notices.ts'
import {
  type AdyenAccount,
  cancelRequest,
  methodsRequest,
  mpiDataOf,
  paymentRequest,
  settleRequest,
} from './requests.ts'

/**
 * The card numbers that Adyen publishes for its test environment, of the brands that are taken here. They expire in
 * 03/2030 and have the security code 737, or 7373 for American Express.
 */
export const adyenSandboxNumbers: readonly string[] = [
  // Visa.
  ...['4111111111111111', '4111111145551142', '4988438843884305', '4166676667666746'],
  ...['4646464646464644', '4000620000000007', '4000060000000006', '4293189100000008'],
  ...['4988080000000000', '4444333322221111', '4001590000000001', '4000180000000002'],
  // Mastercard.
  ...['2222400070000005', '5555341244441115', '5577000055770004', '5555444433331111'],
  ...['2222410740360010', '5555555555554444', '5101180000000007', '5100290029002909'],
  // American Express.
  ...['370000000000002', '370000000100018'],
]

const day_ms = 24 * 3_600_000

/**
 * For how long a scheme lets capture what the shopper has authorised online. Adyen says it nowhere, and itself lets go after 28 days
 * (adyen.help, article 115001179684); but what is captured after the scheme's time may fail days later. Visa by its Core Rules of
 * 2026-04-18, the others by docs.stripe.com/payments/place-a-hold-on-a-payment-method; all read in 2026-11.
 */
const lifeDays: Record<Brand, number> = { visa: 10, mastercard: 7, amex: 7 }

export const adyen: AcquirerConnector<AdyenCredentials> = {
  name: 'adyen',
  credentials: adyenCredentials,
  open: openAdyen,
  isOfSandbox,
  environmentAt,
  sandbox_numbers: adyenSandboxNumbers,
  notices: { read: noticesIn, reply: '[accepted]' },
  check: checkAdyen,
}

function openAdyen(connection: AcquirerConnection<AdyenCredentials>): Acquirer {
  const { name, wire } = connection
  const settle = (kind: SettleKind) => (request: SettleRequest) => settleAt(connection, kind, request)
  return {
    name,
    learned_by: 'notice',
    lists: false,
    safe_window_ms: 300_000,
    // A week at least, by Adyen's clock: docs.adyen.com/development-resources/api-idempotency, 2026-11.
    reference_life_ms: 7 * day_ms - 3_600_000,
    // No documented rule keeps a charge from arriving after its cancellation.
    late_approval_ms: day_ms,
    carriesThreeDs: (data) => mpiDataOf(data) !== null,
    expiryOf: ({ brand, authorised_at }) => new Date(authorised_at.getTime() + lifeDays[brand] * day_ms),
    partialCaptureRefusal: partRefusal,
    async authorise(request): Promise<AuthoriseAnswer | UnderWay> {
      const wireRequest = paymentRequest(request, await accountOf(connection))
      if (!wireRequest) return failed(`${name}: ${unspeakable(request)}`)
      const { sendable } = request
      return authoriseAnswer(await wire.send({ ...wireRequest, sendable }), request, name)
    },
    capture: settle('capture'),
    void: settle('void'),
    reverse: settle('reverse'),
    refund: settle('refund'),
    lookUp: async () => ({ result: 'only_notices_tell' }),
    // Adyen lists nothing: a notice reveals an orphan.
    listAuthorisations: async () => [],
  }
}

async function settleAt(
  connection: AcquirerConnection<AdyenCredentials>,
  kind: SettleKind,
  request: SettleRequest,
): Promise<SettleAnswer | Accepted> {
  const { name, wire } = connection
  const account = await accountOf(connection)
  const { authorisation, sendable } = request
  const { acquirer_transaction_id: psp_reference } = authorisation
  if (psp_reference === null && kind !== 'reverse') {
    return refusedWith('in_progress', `${name}: ${nameless}`)
  }
  const wireRequest =
    psp_reference === null ? cancelRequest(request, account) : settleRequest(kind, request, psp_reference, account)
  if (!wireRequest) return refusedWith('amount_mismatch', `${name}: ${unspeakable(request)}`)
  const answer = await wire.send({ ...wireRequest, sendable })
  const is_kept = request.is_repeat === true && isKeptError(answer)
  const may_happen_twice = kind === 'refund' || request.fits_twice === true
  if (!is_kept || may_happen_twice) return settleAnswer(answer, request, name)
  return afterRequest(sendUnderSecondKey(connection, wireRequest, request))
}

/**
 * Adyen keeps an error under its key for a week. An accepted request would have had its notice by the time it is repeated, so it is
 * sent once more under a second key. The payment's state prevents a second cancellation or reversal, or capture of more than half. A
 * refund could happen twice, so it waits for a person; and so could the capture of a smaller part, at accounts with multiple captures
 * switched on. A refusal says nothing here: the first request may have been carried out.
 */
async function sendUnderSecondKey(
  { name, wire }: AcquirerConnection<AdyenCredentials>,
  wireRequest: WireRequest,
  request: SettleRequest,
): Promise<Accepted> {
  const key = `${wireRequest.headers['idempotency-key']}-again`
  const headers = { ...wireRequest.headers, 'idempotency-key': key }
  const { sendable } = request
  const answer = settleAnswer(await wire.send({ ...wireRequest, headers, sendable }), request, name)
  if (answer.result === 'accepted') return answer
  throw new Unanswered(`${name}: under a second key, ${answer.reason}`)
}

const nameless = 'neither answer nor notice has named the payment yet'

async function accountOf(connection: AcquirerConnection<AdyenCredentials>): Promise<AdyenAccount> {
  const { api_key, merchant_account, ...rest } = await credentialsOf(connection)
  return { api_key, merchant_account, api_url: apiUrlOf(rest) }
}

async function checkAdyen({ credentials, wire }: { credentials: AdyenCredentials; wire: Wire }): Promise<CheckAnswer> {
  try {
    const answer = await wire.send(methodsRequest({ ...credentials, api_url: apiUrlOf(credentials) }))
    if (!isGood(answer) || !Array.isArray(answer.json?.paymentMethods)) {
      return { result: 'fails', reason: `Adyen: ${whyNot(answer)}` }
    }
    const methods: unknown[] = answer.json.paymentMethods
    const has_cards = methods.some((each) => (each as { type?: unknown } | null)?.type === 'scheme')
    return { result: 'works', notes: has_cards ? [] : [no_cards] }
  } catch (error) {
    return { result: 'fails', reason: `Adyen: ${(error as Error).message}` }
  }
}

const no_cards = 'the merchant account lists no cards among its payment methods'

function whyNot(answer: WireAnswer): string {
  const { status, json } = answer
  if (json?.errorCode === '901') return 'the key knows no such merchant_account (901)'
  return barredWords(answer) ?? `it does not show its payment methods (${status})`
}
