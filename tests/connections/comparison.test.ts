// What is done at each vendor without us, and when the daily comparison finds it: as long as money can move, and not later.

import { describe, expect, test } from 'vitest'
import { compareAcquirer } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { listFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import type { FindingKind } from '../../src/payments/comparison.ts'
import { openUnverified } from '../support/holding.ts'
import type { Portal } from '../support/portals.ts'
import { driving } from '../support/service.ts'
import { day_ms, hour_ms, minute_ms } from '../support/settling.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import type { VendorName } from '../support/vendors.ts'

/**
 * `paid`: captured with the approval. `waits`: nobody decides. `captured`, `voided`: the merchant decides after 71 hours. `by_rules`: the
 * rules capture it at its deadline, after five days.
 */
type Life = 'paid' | 'waits' | 'captured' | 'voided' | 'by_rules'
type Act = (portal: Portal, reference: string) => void
type Finding = FindingKind | 'orphan'
/** By the next day's comparison, by the one that looks 7 or 30 days after the payment or its capture, or by none. */
type When = 'next' | 'after_7_days' | 'after_30_days' | 'never'
type Row = { life: Life; what: string; act: Act; findings: Finding[]; at: [number, When][] }

const whole = 4200
const undone: Act = (portal, reference) => portal.undoCapture(reference)
const shrunk: Act = (portal, reference) => portal.shrinkCapture(reference, 100)
const voided: Act = (portal, reference) => portal.void(reference)
const revived: Act = (portal, reference) => portal.undoVoid(reference)
const lapsed: Act = (portal, reference) => portal.expire(reference)
const refunded = (amount: number): Act => {
  return (portal, reference) => portal.refund(reference, amount)
}
const captured = (amount: number): Act => {
  return (portal, reference) => portal.capture(reference, amount)
}

const [day_3, day_5, day_8, day_29, day_31] = [72, 5 * 24 + 3, 8 * 24, 29 * 24, 31 * 24 + 2]
const decided_after = 71
const deadline_after = 5 * 24

/** Hours until it is done. */
const after_sale: [number, When][] = [
  [1, 'next'],
  [day_3, 'after_7_days'],
  [day_5, 'after_7_days'],
  [day_8, 'after_30_days'],
  [day_29, 'after_30_days'],
  [day_31, 'never'],
]
const while_it_waits: [number, When][] = [1, day_3, day_5, day_8, day_29, day_31].map((hours) => [hours, 'next'])
const after_decision: [number, When][] = [
  [day_3, 'next'],
  [day_5, 'after_7_days'],
  [day_8, 'after_7_days'],
  [day_31, 'after_30_days'],
  [decided_after + day_31, 'never'],
]
const after_rules: [number, When][] = [
  [day_5, 'next'],
  [day_8, 'after_7_days'],
  [day_31, 'after_30_days'],
  [deadline_after + day_31, 'never'],
]
const part = ['amount_differs', 'captured_there'] as const

const rows: Row[] = [
  {
    life: 'paid',
    what: 'capture undone',
    act: undone,
    findings: ['reserved_there'],
    at: after_sale,
  },
  { life: 'paid', what: 'part taken', act: shrunk, findings: ['amount_differs'], at: after_sale },
  { life: 'paid', what: 'refunded', act: refunded(whole), findings: ['amount_differs'], at: after_sale },
  { life: 'paid', what: 'part refunded', act: refunded(4000), findings: ['amount_differs'], at: after_sale },
  { life: 'waits', what: 'captured', act: captured(whole), findings: ['captured_there'], at: while_it_waits },
  { life: 'waits', what: 'part captured', act: captured(100), findings: [...part], at: while_it_waits },
  {
    life: 'waits',
    what: 'part voided',
    act: (portal, it) => portal.void(it, 100),
    findings: ['amount_differs'],
    at: while_it_waits,
  },
  { life: 'waits', what: 'voided', act: voided, findings: ['voided_there'], at: while_it_waits },
  { life: 'waits', what: 'lapsed', act: lapsed, findings: ['expired_there'], at: while_it_waits },
  { life: 'captured', what: 'capture undone', act: undone, findings: ['reserved_there'], at: after_decision },
  { life: 'captured', what: 'part taken', act: shrunk, findings: ['amount_differs'], at: after_decision },
  { life: 'captured', what: 'refunded', act: refunded(whole), findings: ['amount_differs'], at: after_decision },
  { life: 'by_rules', what: 'capture undone', act: undone, findings: ['reserved_there'], at: after_rules },
  { life: 'voided', what: 'void undone', act: revived, findings: ['orphan'], at: after_decision },
]

type Case = Omit<Row, 'at'> & { hours: number; when: When }

const cases: Case[] = rows.flatMap(({ at, ...row }) => at.map(([hours, when]) => ({ ...row, hours, when })))

/** Hours from when it was made to when it is found, at least; from when it was recorded, below. */
const waits: Record<Exclude<When, 'next' | 'never'>, [number, number]> = {
  after_7_days: [7 * 24, 8 * 24 + 2],
  after_30_days: [30 * 24, 31 * 24 + 2],
}
const recorded_after: Record<Life, number> = {
  paid: 0,
  waits: 0,
  captured: decided_after,
  voided: decided_after,
  by_rules: deadline_after,
}

/** A card that no bank has to be asked about. */
const quick = '4000009000030000'

type Lived = Case & { payment_id: string; begun: number }
type Step = [hours: number, act: () => unknown]

/** Each payment is made in an hour of its own, so that no comparison looks at it on behalf of another. Times are in hours. */
async function liveThrough(name: VendorName, chosen: Case[]) {
  const stage = await useVendorStage(name)
  const { account, service, other, clock, vendor, run } = stage
  vendor.habits.life_ms = 99 * day_ms
  const { client } = account
  const { sql } = other
  const begun_at = clock.now().getTime()
  const acquirer = service.context.acquirerOf('test', stage.acquirer)
  const lives: Lived[] = []
  /** What came to light, as `payment kind`, and when. */
  const discoveries = new Map<string, number>()

  const settle = async () => {
    for (let looks = 0; looks < 3; looks++) {
      await clock.advance(minute_ms)
      await run('reconcile')
    }
  }

  async function begin(each: Case, begun: number): Promise<Step[]> {
    const { life, hours, act } = each
    const session = life === 'paid' ? await client.open() : await openUnverified(account)
    await client.present(session, quick)
    await driving(clock, client.confirm(session))
    const [row] = await sql<[{ payment_id: string; reference: string }]>`
      select payment_id, operation_id as reference from acquirer_operations join payments using (merchant_id, payment_id)
      where session_id = ${session.id} and kind = 'authorise'`
    const deadline = clock.now().getTime() + (life === 'by_rules' ? deadline_after * hour_ms : 99 * day_ms)
    await sql`
      update holds set at_deadline = 'capture', deadline = ${new Date(deadline)}, rules_at = ${new Date(deadline)}
      where payment_id = ${row.payment_id}`
    await settle()
    lives.push({ ...each, begun, payment_id: row.payment_id })
    const decide = async () => {
      const decision = life === 'captured' ? 'capture' : 'void'
      await driving(clock, client.decideHold(decision, row.payment_id))
      await settle()
    }
    const done: Step = [begun + hours, () => act(vendor.portal!, row.reference)]
    if (life === 'by_rules') return [done, [begun + deadline_after + 0.1, () => run('apply_hold_rules').then(settle)]]
    return life === 'captured' || life === 'voided' ? [done, [begun + decided_after, decide]] : [done]
  }

  async function compare(): Promise<void> {
    const swept = { mode: 'live', acquirer } as const
    const result = await driving(clock, compareAcquirer(other.context, swept, { at_once: false }))
    expect(result).toMatchObject({ failure: null })
    const found_at = (clock.now().getTime() - begun_at) / hour_ms
    const findings = await listFindings(sql, { acquirer: null, closed_too: true, limit: 1_000 })
    const orphans = await sql<{ payment_id: string }[]>`
      select payment_id from orphan_authorisations`
    const keys = [
      ...findings.map(({ payment_id, kind }) => `${payment_id} ${kind}`),
      ...orphans.map(({ payment_id }) => `${payment_id} orphan`),
    ]
    for (const key of keys) if (!discoveries.has(key)) discoveries.set(key, found_at)
  }

  const steps: Step[] = chosen.map((each, at) => [at, async () => steps.push(...(await begin(each, at)))])
  const last = chosen.length + 40 * 24
  for (let hours = 12.5; hours < last; hours += 24) steps.push([hours, compare])
  while (steps.length > 0) {
    steps.sort(([one], [two]) => one - two)
    const [hours, act] = steps.shift()!
    const wait_ms = begun_at + hours * hour_ms - clock.now().getTime()
    await clock.advance(Math.max(0, wait_ms))
    await act()
  }
  expect(vendor.wrong).toEqual([])
  return { lives, discoveries }
}

// Adyen has neither a list nor look-ups, so that its notices alone tell of all this: see portal-notices.test.ts. Stripe takes the whole
// with the approval, or nothing, and cancels the whole.
describe.each([
  ['checkout', cases],
  ['stripe', cases.filter(({ life, what }) => what !== 'part voided' && (life !== 'paid' || what !== 'part taken'))],
] as const)('%s', async (name, chosen) => {
  const { lives, discoveries } = await liveThrough(name, chosen)
  test.each(lives.map((each) => ({ ...each, title: `${each.life}, ${each.what} after ${each.hours} h` })))(
    '$title: $when',
    ({ payment_id, begun, hours, life, findings, when }) => {
      const own = [...discoveries].filter(([key]) => key.startsWith(payment_id))
      const kinds = own.map(([key]) => key.split(' ')[1]!)
      if (when === 'never') return expect(kinds).toEqual([])
      expect(kinds.toSorted()).toEqual(findings)
      const [least, below] = when === 'next' ? [hours, hours + 25] : waits[when]
      // The charge counts as well as its capture: whichever is looked at first.
      const recorded = when === 'next' ? 0 : recorded_after[life]
      for (const [, at] of own) {
        expect(at - begun).toBeGreaterThanOrEqual(least)
        expect(at - begun).toBeLessThan(below + recorded)
      }
    },
  )
})
