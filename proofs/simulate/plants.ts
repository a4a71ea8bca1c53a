// Faults planted into the product, to prove that the simulation finds them: each changes what passes one seam.

import {
  type Acquirer,
  type AuthoriseRequest,
  chargeNamed,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import type { Clock, GuardedHttp, VendorHttp, World } from '../../src/kernel/world.ts'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'
import type { BankKind } from './bank/kind.ts'
import type { Traits } from './bank/traits.ts'
import type { Shares } from './faults.ts'
import type { JobName } from './job-names.ts'
import {
  asError,
  asIfApproved,
  both,
  inSql,
  livingLonger,
  nothingThere,
  seldomRead,
  underOurMark,
  unlessGone,
  withOtherKey,
  withOtherNames,
  withoutAmounts,
  withoutEmails,
  withoutLines,
  withoutWithdrawals,
} from './planted.ts'
import { vendor_plants } from './planted-vendors.ts'

export type Plant = {
  acquirer?(line: Acquirer, world: World): Acquirer
  vendors?(line: Pick<VendorHttp, 'send'>): Pick<VendorHttp, 'send'>
  /** Whether a vendor's notice is taken in; one that is not counts as accepted. */
  notices?(body: string): boolean
  receivers?(line: GuardedHttp): GuardedHttp
  /** The text of a statement, or a part of one, as it is written down instead. */
  sql?(template: TemplateStringsArray): TemplateStringsArray
  /** The rows that a statement is heard to have. */
  rows?(rows: unknown): unknown
  /** What is heard of a statement that failed; `label` is its beginning. */
  failure?(error: unknown, label: string): unknown
  settings?: Partial<DeliverySettings>
  stops_job?: JobName
  /** As an operator may set it. */
  unknown_authorisations?: 'reverse'
  /** Processes remember nothing of the database. */
  forgets_marks?: true
  /** Jobs begin by whatever clock. */
  trusts_clock?: true
  /** What brings it out, more often than in other worlds. */
  brings?: {
    faults?: Partial<Shares>
    failovers?: number
    traits?: Partial<Traits>
    bank?: BankKind
  }
  /** The clock of a process. */
  clock?(clock: Clock): Clock
  /** What a client hears instead. */
  answer?(answer: HttpAnswer): HttpAnswer
}

export type HttpAnswer = { status: number; text: string; headers: Record<string, string> }

export const nothing: Plant = {}

export const plants: Record<string, Plant> = {
  ...vendor_plants,
  'a charge is sent twice': {
    acquirer: (line, world) => ({
      ...line,
      async authorise(request) {
        const answer = await line.authorise(request)
        await line.authorise({ ...request, reference: another(world) }).catch(() => {})
        return answer
      },
    }),
  },
  'a capture is sent twice': {
    acquirer: (line, world) => ({
      ...line,
      async capture(request) {
        const answer = await line.capture(request)
        await line.capture({ ...request, reference: another(world) }).catch(() => {})
        return answer
      },
    }),
  },
  'a refund whose answer is lost is sent anew': {
    acquirer: (line, world) => ({
      ...line,
      refund: (request) =>
        line.refund(request).catch((error: unknown) => {
          if (!(error instanceof Unanswered)) throw error
          return line.refund({ ...request, reference: another(world) })
        }),
    }),
  },
  'two refunds at once may exceed the capture': {
    sql: both(
      inSql(' and refunded_amount + ', ' and 0 * refunded_amount + '),
      inSql('set refunded_amount = refunded_amount + ', 'set refunded_amount = 0 * '),
    ),
  },
  'a lost answer counts as a decline': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) =>
        line.authorise(request).catch((error: unknown) => {
          if (!(error instanceof Unanswered)) throw error
          const decline = { code: 'card_declined', category: 'soft', reason: null } as const
          return { result: 'declined' as const, decline, acquirer_transaction_id: null }
        }),
    }),
  },
  'a void is never sent': {
    acquirer: (line) => ({
      ...line,
      void: async () => ({ result: 'approved', acquirer_transaction_id: 'made up' }),
    }),
  },
  'another amount is charged': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) => line.authorise({ ...request, amount: request.amount + 1 }),
    }),
  },
  'an amount that nobody verified is taken at once': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) => line.authorise({ ...request, capture: true }),
    }),
  },
  'a card number is logged': {
    acquirer: (line, { log }) => ({
      ...line,
      authorise(request: AuthoriseRequest) {
        log.info({ number: request.card.number }, 'about to charge')
        return line.authorise(request)
      },
    }),
  },
  'a capture goes out under a new reference each time': {
    acquirer: (line, world) => ({
      ...line,
      capture: (request: SettleRequest) => line.capture({ ...request, reference: another(world) }),
    }),
  },
  'an answer may be recorded twice': {
    sql: inSql("state in ('sent', 'unknown', 'accepted')", 'true', { is_whole: true }),
  },
  'a lock that is not free while an outcome is saved is an error': { failure: asError },
  'some endpoints are not told': {
    sql: inSql("and e.status = 'active'", "and e.status = 'active' and e.endpoint_id > 'whep_8'"),
  },
  'an event changes when it is told again': {
    sql: inSql(
      'ev.type as event_type, ev.body,',
      "ev.type as event_type, case when c.attempt_number > 1 then ev.body || ' ' else ev.body end as body,",
    ),
  },
  'a delivery that was begun is never due again': {
    sql: inSql(
      ', last_attempt_id = coalesce(q.attempt_id',
      " + interval '1000 days', last_attempt_id = coalesce(q.attempt_id",
    ),
  },
  'a card is kept after its attempt': {
    sql: inSql(' and exists (select 1 from gate)),\n    code as', ' and false),\n    code as'),
  },
  "another merchant's payment can be read": {
    sql: inSql(
      'using (merchant_id, session_id)\n    where p.merchant_id = ',
      "using (merchant_id, session_id)\n    where p.merchant_id >= '' and '' <> ",
    ),
  },
  'two confirms at once may both begin': {
    sql: both(
      inSql("\n    and phase = 'authenticating'", ''),
      inSql("and status = 'requires_payment' and attempt_count = ", 'and attempt_count = '),
    ),
  },
  'two decisions at once may both begin': {
    sql: both(
      inSql(
        ' for update\n    ), gate as (\n      select 1 from holds',
        '\n    ), gate as (\n      select 1 from holds',
      ),
      inSql(' and exists (select 1 from locked) for update', ' and exists (select 1 from locked)'),
    ),
  },
  'a withdrawn key goes on': { rows: withoutWithdrawals },
  'the journal misses outcomes': { sql: withoutLines },
  'an idempotency key is forgotten': { sql: withOtherKey },
  'a session is charged although it has expired': { rows: livingLonger },
  'a replay has another body': {
    answer: (answer) =>
      answer.headers['rip-idempotent-replayed'] === 'true'
        ? { ...answer, text: answer.text.replace(/"created_at":"2026/, '"created_at":"2027') }
        : answer,
  },
  'deliveries are signed with another hour': { settings: { clock_offset_seconds: 3_600 } },
  'a delivery counts although nobody was reached': {
    receivers: (line) => ({
      ...line,
      post: async () => ({ status: 200, retry_after_seconds: null, body: '' }),
    }),
  },
  'a charge is sent however old its intent is': { clock: seldomRead },
  'a reversal fences nothing and nobody watches': {
    acquirer: (line) => ({
      ...line,
      async reverse(request: SettleRequest) {
        const known = await line.lookUp(chargeNamed(request.authorisation))
        return known.result === 'not_found' ? nothingThere : line.reverse(request)
      },
    }),
  },
  'a void of what is gone is refused for ever': {
    acquirer: (line) => ({
      ...line,
      void: (request: SettleRequest) => line.void(request).then(unlessGone),
    }),
    brings: { traits: { portal: 0.6, lapses_after_ms: 3_600_000 } },
  },
  'the journal does not bind the amount': { sql: withoutAmounts },
  'the order count mixes test and live': { sql: inSql(' and o.mode = p.mode', '') },
  'names of the price list are not checked': { rows: withOtherNames },
  "confirm's email replaces the server's": { rows: withoutEmails },
  'an ECI is invented': {
    acquirer: (line) => ({
      ...line,
      authorise({ three_ds, ...request }: AuthoriseRequest) {
        const claimed = three_ds && { ...three_ds, eci: three_ds.eci ?? '05' }
        return line.authorise({ ...request, three_ds: claimed })
      },
    }),
  },
  'nobody looks for lost answers': { stops_job: 'reconcile' },
  'nobody applies the rules of holds': { stops_job: 'apply_hold_rules' },
  'nobody looks for orphans': { stops_job: 'sweep_orphans' },
  'what a failover lost is reversed': {
    unknown_authorisations: 'reverse',
    forgets_marks: true,
    brings: { failovers: 1 },
  },
  'nobody compares': {
    stops_job: 'compare_books',
    brings: {
      traits: { lists_after_ms: 25 * 60_000 },
      faults: { 'bank: declines what it approved': 0.2 },
    },
  },
  'an answer about one sending settles another': {
    sql: inSql("(state = 'sent' and last_sent_at = ", "(state in ('sent', 'unknown') or last_sent_at = "),
    brings: {
      faults: {
        'process: stalls at the acquirer': 0.1,
        'acquirer: not sent': 0.15,
        'acquirer: answer lost': 0.15,
      },
    },
  },
  'jobs begin by a wrong clock': {
    trusts_clock: true,
    brings: { faults: { 'clock: drifts': 0, 'clock: far ahead': 1 } },
  },
  'an approval that lost is forgotten': {
    rows: asIfApproved,
    brings: {
      // Processes that live to hear it.
      faults: {
        'acquirer: arrives after its reversal': 0.4,
        'sql: crash before': 0,
        'sql: crash after': 0,
        'acquirer: crash before': 0,
        'acquirer: crash after': 0,
      },
      traits: { late_approval_ms: 10 * 60_000 },
    },
  },
  'unknown authorisations are reversed at once': {
    acquirer: underOurMark,
    sql: inSql(', next_try_at = null from meant', ", next_try_at = '2026-01-01' from meant"),
  },
}

function another({ random }: World): string {
  return random.bytes(16).toString('hex')
}
