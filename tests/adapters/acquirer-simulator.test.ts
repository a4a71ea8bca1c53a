// The simulated acquirer keeps the port's promises, and its books tell where the money is.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Acquirer, NotSent } from '../../src/acquirers/acquirer.ts'
import { acquirerFor } from '../../src/acquirers/open.ts'
import { openSimulator } from '../../src/acquirers/simulated-acquirer/simulator.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import { manualClock } from '../support/clock.ts'
import { acquirerSuite } from './acquirer.ts'
import {
  type AcquirerTraits,
  type AcquirerUnderTest,
  at_once,
  authoriseRequest,
  lookUpOf,
  mintReference,
  settleRequest,
} from './acquirer-requests.ts'
import { numberFor } from './fakes/numbers.ts'
import { memoryLedger } from './memory-ledger.ts'
import { noticeOf, onlyNotifying } from './simulated-notices.ts'

function open(ledger = memoryLedger(), traits = at_once): AcquirerUnderTest {
  const clock = manualClock()
  let drawn = 0
  const random = {
    bytes(length: number) {
      drawn++
      return Buffer.alloc(length, drawn)
    },
  }
  const { settles_after_ms } = traits
  const asked = { name: 'simulator', settles_after_ms }
  const reopen = () => {
    const simulator = openSimulator({ clock, random }, ledger, asked)
    return traits.lists_to_ms === null ? onlyNotifying(simulator) : simulator
  }
  const told: AcquirerUnderTest['told'] = (about, reference) => {
    const entry = ledger.entries.get(reference)
    return entry?.kind === about ? noticeOf(entry, clock.now()) : null
  }
  return { traits, acquirer: reopen(), clock, reopen, numberFor, told }
}

acquirerSuite('simulator', async () => open(), at_once)

const later: AcquirerTraits = { ...at_once, settles_after_ms: 20_000 }
acquirerSuite('a simulator that settles later', async () => open(memoryLedger(), later), later)

const notifying: AcquirerTraits = { ...later, lists_to_ms: null }
acquirerSuite('a simulator that only notifies', async () => open(memoryLedger(), notifying), notifying)

describe('the books', () => {
  test('hold neither the number nor the security code', async () => {
    const ledger = memoryLedger()
    const { acquirer } = open(ledger)
    const request = authoriseRequest(numberFor('approve'))
    request.card.cvc = '987654321'
    await acquirer.authorise(request)
    await acquirer.capture(settleRequest(request))
    const books = JSON.stringify([...ledger.entries.values()])
    expect(books).not.toContain(request.card.number)
    expect(books).not.toContain(request.card.number.slice(0, 6))
    expect(books).not.toContain(request.card.cvc)
    expect(books).toContain(request.card.number.slice(-4))
  })

  test('an authorisation is one write and no read', async () => {
    const calls: string[] = []
    const ledger = new Proxy(memoryLedger(), {
      get(target, name, receiver) {
        calls.push(String(name))
        return Reflect.get(target, name, receiver)
      },
    })
    await open(ledger).acquirer.authorise(authoriseRequest(numberFor('approve')))
    expect(calls).toEqual(['insert'])
  })

  test('a card that is no test card is failed, and moves nothing', async () => {
    const ledger = memoryLedger()
    const request = authoriseRequest('4012000033330026', { capture: true })
    expect(await open(ledger).acquirer.authorise(request)).toMatchObject({
      result: 'failed',
      decline: { code: 'processing_error' },
    })
    expect(ledger.entries.get(request.reference)).toMatchObject({
      authorised_at: null,
      captured_at: null,
    })
  })

  const operations = fc.array(fc.array(fc.constantFrom('capture', 'void', 'reverse'), { minLength: 1, maxLength: 4 }), {
    maxLength: 4,
  })
  const behaviours = fc.constantFrom('approve', 'refuse_capture_once', 'refuse_void_once')

  // Each inner list is sent at once; the lists follow one another.
  test('agree with the answers, whatever is asked in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(behaviours, fc.boolean(), operations, async (behaviour, capture, rounds) => {
        const ledger = memoryLedger()
        const { acquirer } = open(ledger)
        const request = authoriseRequest(numberFor(behaviour as AcquirerBehaviour), { capture })
        await acquirer.authorise(request)
        const approved = { capture: capture ? 1 : 0, void: 0, reverse: 0 }
        for (const round of rounds as (keyof typeof approved)[][]) {
          const ask = (kind: keyof typeof approved) => acquirer[kind](settleRequest(request))
          const answers = await Promise.all(round.map(ask))
          for (const [index, kind] of round.entries()) {
            if (answers[index]!.result === 'approved') approved[kind]++
          }
        }
        const { captured_at, voided_at, reversed_at } = ledger.entries.get(request.reference)!
        expect(approved.capture + approved.void).toBeLessThanOrEqual(1)
        expect(approved).toEqual({
          capture: captured_at ? 1 : 0,
          void: voided_at ? 1 : 0,
          reverse: reversed_at ? 1 : 0,
        })
        expect(ledger.entries.size).toBe(1 + rounds.flat().length)
      }),
    )
  })
})

describe('acquirerFor', () => {
  const { acquirer: simulator } = open()
  const bank: Acquirer = { ...simulator, name: 'bank' }
  const connected = (name: string) => (name === 'bank' ? bank : null)

  test.each([
    ['test', null, 'simulator'],
    ['test', 'simulator', 'simulator'],
    ['test', 'bank', 'bank'],
    ['live', 'bank', 'bank'],
  ] as const)('%s, named %s: %s', (mode, asked, name) => {
    expect(acquirerFor({ mode, name: asked }, { simulator, connected }).name).toBe(name)
  })

  test.each([
    ['elsewhere', 'no acquirer connection named elsewhere'],
    ['simulator', 'no acquirer connection named simulator'],
    [null, 'no acquirer connection named none'],
  ])('live, named %s: nothing is ever sent', async (name, message) => {
    const missing = acquirerFor({ mode: 'live', name }, { simulator, connected })
    const request = authoriseRequest('4012000033330026')
    const calls = [
      () => missing.authorise(request),
      () => missing.capture(settleRequest(request)),
      () => missing.void(settleRequest(request)),
      () => missing.reverse(settleRequest(request)),
      () => missing.lookUp(lookUpOf(mintReference())),
      () => missing.listAuthorisations({ since: new Date(0), until: new Date(1) }),
    ]
    for (const call of calls) {
      const error = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(NotSent)
      expect((error as Error).message).toBe(message)
    }
  })
})
