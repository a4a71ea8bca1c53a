// The suite's part with challenges: how each ends, and that the RReq alone says so.

import { describe, expect, test } from 'vitest'
import type { ThreeDsBehaviour } from '../../src/cards/test-cards.ts'
import { type Brand, brands } from '../../src/kernel/values.ts'
import type { AuthenticationAnswer, AuthenticationRequest, Form } from '../../src/three-ds/three-ds.ts'
import { eci, requestFor, type ThreeDsBench } from './three-ds-bench.ts'
import { typed, type Visit } from './three-ds-browser.ts'

type Challenge = Extract<AuthenticationAnswer, { kind: 'challenge' }> & {
  request: AuthenticationRequest
}

export function automaticChallengeSuite(bench: () => ThreeDsBench): void {
  describe('a challenge that runs by itself', () => {
    const rows: [ThreeDsBehaviour, object][] = [
      ['challenge_auto_pass', { status: 'Y', reason: null }],
      ['challenge_auto_fail', { status: 'N', reason: '01', challenge_cancel: null }],
      ['challenge_cancelled', { status: 'N', reason: '01', challenge_cancel: '01' }],
      ['challenge_lying_cres', { status: 'N', reason: '01' }],
      ['challenge_unavailable', { status: 'U', unavailable_cause: 'issuer' }],
      ['challenge_rejected', { status: 'R', reason: '11' }],
    ]
    for (const brand of brands) {
      test.each(rows)(`${brand}: %s`, async (three_ds, expected) => {
        const asked = await challenge(bench(), brand, three_ds)
        const visit = await bench().visit(formFor(bench(), asked))
        // The result is there before the browser comes back.
        expect(bench().resultCount()).toBe(1)
        expectReturn(bench(), visit)
        const [result] = await bench().results()
        expect(result).toMatchObject({
          server_transaction_id: asked.request.server_transaction_id,
          acs_transaction_id: asked.acs_transaction_id,
          ds_transaction_id: asked.ds_transaction_id,
          version: '2.2.0',
          outcome: expected,
        })
      })
    }

    test.each(brands)('%s: a result that comes 20 s late', async (brand) => {
      const visit = await bench().visit(formFor(bench(), await challenge(bench(), brand, 'challenge_late_result')))
      expectReturn(bench(), visit)
      await bench().clock.advance(19_999)
      expect(bench().resultCount()).toBe(0)
      await bench().clock.advance(1)
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'Y', eci: eci(brand, '05', '02') })
    })

    test('opening it twice sends one result', async () => {
      const form = formFor(bench(), await challenge(bench(), 'visa', 'challenge_auto_pass'))
      for (const visit of await Promise.all([bench().visit(form), bench().visit(form)])) {
        expectReturn(bench(), visit)
      }
      expect(bench().resultCount()).toBe(1)
    })
  })
}

export function codeChallengeSuite(bench: () => ThreeDsBench): void {
  describe('a challenge by code', () => {
    const open_page = async (brand: Brand) =>
      bench().visit(formFor(bench(), await challenge(bench(), brand, 'challenge_otp')))

    test.each(brands)('%s: the code passes', async (brand) => {
      const page = await open_page(brand)
      expect(page.page?.html).toContain('GBP 42.00')
      expect(page.page?.html).toContain('Tea &#38; Sons')
      expectReturn(bench(), await answer(bench(), page, { code: '1234', action: 'submit' }))
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'Y', eci: eci(brand, '05', '02') })
    })

    test('a wrong code may be corrected', async () => {
      const again = await answer(bench(), await open_page('visa'), {
        code: '0000',
        action: 'submit',
      })
      expect(again.page?.html).toMatch(/role="alert"/)
      expect(bench().resultCount()).toBe(0)
      expectReturn(bench(), await answer(bench(), again, { code: '1234', action: 'submit' }))
      expect((await bench().results())[0]!.outcome.status).toBe('Y')
    })

    test('three wrong codes end it', async () => {
      let visit = await open_page('visa')
      for (const code of ['0000', '12345']) visit = await answer(bench(), visit, { code })
      expectReturn(bench(), await answer(bench(), visit, { code: '' }))
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'N', reason: '19', challenge_cancel: null })
    })

    test('Cancel ends it', async () => {
      expectReturn(bench(), await answer(bench(), await open_page('visa'), { code: '', action: 'cancel' }))
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'N', reason: '01', challenge_cancel: '01' })
    })

    test('a reload shows the page again, and after the end leads back again', async () => {
      const form = formFor(bench(), await challenge(bench(), 'visa', 'challenge_otp'))
      await bench().visit(form)
      const page = await bench().visit(form)
      await answer(bench(), page, { code: '1234' })
      expectReturn(bench(), await bench().visit(form))
      expect(bench().resultCount()).toBe(1)
    })

    test('a page without an answer ends after ten minutes', async () => {
      const page = await open_page('visa')
      await bench().clock.advance(599_999)
      expect(bench().resultCount()).toBe(0)
      await bench().clock.advance(1)
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'N', reason: '14', challenge_cancel: '04' })
      expectReturn(bench(), await answer(bench(), page, { code: '1234' }))
      expect(bench().resultCount()).toBe(1)
    })

    test.each(brands)('%s: an abandoned one ends after 30 s', async (brand) => {
      const visit = await bench().visit(formFor(bench(), await challenge(bench(), brand, 'challenge_abandoned')))
      expect(visit.page).not.toBeNull()
      await bench().clock.advance(30_000)
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'N', reason: '14', challenge_cancel: '04' })
    })

    test('one that is never opened ends after 30 s, and cannot be opened any more', async () => {
      const form = formFor(bench(), await challenge(bench(), 'visa', 'challenge_otp'))
      await bench().clock.advance(30_000)
      const [result] = await bench().results()
      expect(result!.outcome).toMatchObject({ status: 'N', reason: '14', challenge_cancel: '05' })
      const visit = await bench().visit(form)
      expect(visit.arrival?.url).toBe(bench().notification_url)
      expect(bench().threeDs.readChallengeNotification(visit.arrival!.fields)).toBeNull()
    })
  })
}

/** The transaction that was challenged last. */
const challenged = new WeakMap<ThreeDsBench, string>()

async function challenge(bench: ThreeDsBench, brand: Brand, three_ds: ThreeDsBehaviour): Promise<Challenge> {
  const asked = await requestFor(bench, brand, { three_ds })
  const answer = await bench.threeDs.authenticate(asked)
  const { server_transaction_id = asked.server_transaction_id } = answer
  const request = { ...asked, server_transaction_id }
  if (answer.kind !== 'challenge') throw new Error(`not a challenge: ${JSON.stringify(answer)}`)
  challenged.set(bench, request.server_transaction_id)
  return { ...answer, request }
}

function formFor(bench: ThreeDsBench, answer: Challenge): Form {
  return bench.threeDs.challengeForm({
    version: '2.2.0',
    acs_url: answer.acs_url,
    server_transaction_id: answer.request.server_transaction_id,
    acs_transaction_id: answer.acs_transaction_id,
    window_size: '05',
  })
}

/** Types a code, or presses Cancel, on the page that a visit ended at. */
async function answer(bench: ThreeDsBench, visit: Visit, fields: Record<string, string>): Promise<Visit> {
  if (!visit.page) throw new Error('no page waits')
  return bench.visit(typed(visit.page, fields))
}

function expectReturn(bench: ThreeDsBench, visit: Visit): void {
  expect(visit.arrival?.url).toBe(bench.notification_url)
  const read = bench.threeDs.readChallengeNotification(visit.arrival!.fields)
  expect(read).toBe(challenged.get(bench))
}
