// The suite's part without challenges: enrolment, the 3DS Method, and answers that are final at once.

import { describe, expect, test } from 'vitest'
import type { RangeProfile, ThreeDsBehaviour } from '../../src/cards/test-cards.ts'
import { type Brand, brands } from '../../src/kernel/values.ts'
import { ProviderUnavailable } from '../../src/three-ds/three-ds.ts'
import { eci, requestFor, type ThreeDsBench, type ThreeDsTraits } from './three-ds-bench.ts'
import { purchase } from './three-ds-fixtures.ts'

export function enrolmentSuite(bench: () => ThreeDsBench): void {
  describe('enrolment', () => {
    const rows: [RangeProfile, { version: string; method: boolean } | null][] = [
      ['method', { version: '2.2.0', method: true }],
      ['no_method', { version: '2.2.0', method: false }],
      ['silent_method', { version: '2.2.0', method: true }],
      ['only_2_1_0', { version: '2.1.0', method: true }],
      ['also_2_3_1', { version: '2.2.0', method: true }],
      ['not_enrolled', null],
    ]
    for (const brand of brands) {
      test.each(rows)(`${brand}: %s`, async (ranges, expected) => {
        const number = bench().card(brand, { ranges })
        const enrolment = await bench().threeDs.enrolment({ number, brand })
        expect(enrolment.enrolled).toBe(expected !== null)
        if (!enrolment.enrolled) return
        expect(enrolment.version).toBe(expected!.version)
        expect(enrolment.method_url !== null).toBe(expected!.method)
      })
    }
  })
}

export function methodSuite(bench: () => ThreeDsBench): void {
  describe('3DS Method', () => {
    test.each([
      ['method', true],
      ['silent_method', false],
    ] as const)('%s reports back: %s', async (ranges, reports) => {
      const number = bench().card('visa', { ranges })
      const enrolment = await bench().threeDs.enrolment({ number, brand: 'visa' })
      if (!enrolment.enrolled || !enrolment.method_url) throw new Error('no method')
      const { server_transaction_id } = enrolment.transaction ?? purchase()
      const visit = await bench().visit(
        bench().threeDs.methodForm({
          server_transaction_id,
          method_url: enrolment.method_url,
          notification_url: bench().method_notification_url,
        }),
      )
      expect(visit.arrival?.url ?? null).toBe(reports ? bench().method_notification_url : null)
      if (!visit.arrival) return
      const read = bench().threeDs.readMethodNotification(visit.arrival.fields)
      expect(read).toBe(server_transaction_id)
    })
  })
}

export function frictionlessSuite(bench: () => ThreeDsBench, traits: ThreeDsTraits): void {
  describe('without a challenge', () => {
    const proven = { authentication_value: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/) }
    const bare = { authentication_value: null, eci: null }
    const unavailable = { status: 'U', ...bare, reason: null }
    const rows: [ThreeDsBehaviour, (brand: Brand) => object][] = [
      ['authenticated', (brand) => ({ status: 'Y', ...proven, eci: eci(brand, '05', '02') })],
      ['attempted', (brand) => ({ status: 'A', ...proven, eci: eci(brand, '06', '01') })],
      ['not_authenticated', () => ({ status: 'N', authentication_value: null, reason: '01' })],
      ['rejected', () => ({ status: 'R', authentication_value: null, reason: '11' })],
      ['informational', () => ({ status: 'I', authentication_value: null })],
      ['unavailable', () => ({ status: 'U', unavailable_cause: 'issuer' })],
      ['erro', () => ({ ...unavailable, unavailable_cause: 'error' })],
      ['unsafe_acs_url', () => ({ ...unavailable, unavailable_cause: 'invalid_answer' })],
    ]
    for (const brand of brands) {
      test.each(rows)(`${brand}: %s`, async (three_ds, expected) => {
        const request = await requestFor(bench(), brand, { three_ds })
        const answer = await bench().threeDs.authenticate(request)
        expect(answer).toMatchObject({ kind: 'outcome', outcome: expected(brand) })
        expect(JSON.stringify(bench().log)).not.toContain(request.number)
      })
    }
  })

  describe('without a challenge, beside the table', () => {
    test('the only version of a card is spoken', async () => {
      const request = await requestFor(bench(), 'visa', { ranges: 'only_2_1_0' }, { version: '2.1.0' })
      const answer = await bench().threeDs.authenticate(request)
      expect(answer).toMatchObject({ kind: 'outcome', outcome: { status: 'Y' } })
    })

    test('a refusal carries what the bank wants said', async () => {
      const request = await requestFor(bench(), 'visa', { three_ds: 'not_authenticated' })
      const answer = await bench().threeDs.authenticate(request)
      expect(answer.cardholder_info).toMatch(/call your bank/)
    })

    test('a bank page that could run script here is never opened, and the log says so', async () => {
      const request = await requestFor(bench(), 'visa', { three_ds: 'unsafe_acs_url' })
      await bench().threeDs.authenticate(request)
      expect(bench().log).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          fields: expect.objectContaining({ cause: 'invalid_answer' }),
        }),
      )
    })

    const silent = test.runIf(traits.tells_silence_apart)
    silent.each(brands)('%s: silence is unavailable', async (brand) => {
      const request = await requestFor(bench(), brand, { three_ds: 'ds_timeout' })
      const answering = bench().threeDs.authenticate(request)
      await bench().clock.sleepers(10_000)
      await bench().clock.advance(10_000)
      expect(await answering).toMatchObject({
        kind: 'outcome',
        outcome: { status: 'U', unavailable_cause: 'timeout' },
      })
    })

    const down = test.runIf(traits.tells_down_apart)
    down.each(brands)('%s: a provider that is down was asked nothing', async (brand) => {
      const request = await requestFor(bench(), brand, { ranges: 'provider_down' })
      const enrolment = await bench().threeDs.enrolment(request)
      expect(enrolment).toMatchObject({ enrolled: true })
      const answering = bench().threeDs.authenticate(request)
      await expect(answering).rejects.toThrow(ProviderUnavailable)
    })
  })
}
