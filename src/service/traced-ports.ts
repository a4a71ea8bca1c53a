// Acquirers and 3-D Secure with a span for each call. A span says which vendor was called, for what, and how it ended,
// but nothing of the card or the answer's text.

import type { Acquirer } from '../acquirers/acquirer.ts'
import { failureKind, type SpanFacts, type Tracing, traced } from '../kernel/tracing.ts'
import type { Mode } from '../kernel/values.ts'
import type { Context, InsertSession } from '../payments/context.ts'
import type { FetchedThreeDs, ThreeDs } from '../three-ds/three-ds.ts'

type Call<Q, A> = (request: Q) => Promise<A>

/** Traces the calls that are made for money; without tracing, returns the acquirer itself. */
export function tracedAcquirer(acquirer: Acquirer, mode: Mode, tracing: Tracing | null | undefined): Acquirer {
  if (!tracing) return acquirer
  const { prepare } = acquirer
  const facts = { 'ripper.acquirer': acquirer.name, 'ripper.mode': mode }
  const withSpan =
    <Q, A extends object>(verb: string, call: Call<Q, A>): Call<Q, A> =>
    (request) =>
      traced(tracing, { name: `acquirer ${verb}`, ...facts }, () => call(request), resultOf)
  return {
    ...acquirer,
    ...(prepare && { prepare: withSpan('prepare', (request) => prepare(request)) }),
    authorise: withSpan('authorise', (request) => acquirer.authorise(request)),
    capture: withSpan('capture', (request) => acquirer.capture(request)),
    void: withSpan('void', (request) => acquirer.void(request)),
    reverse: withSpan('reverse', (request) => acquirer.reverse(request)),
    refund: withSpan('refund', (request) => acquirer.refund(request)),
    lookUp: withSpan('look_up', (request) => acquirer.lookUp(request)),
    listAuthorisations: withSpan('list', (within) => acquirer.listAuthorisations(within)),
  }
}

type ThreeDsOf = Context['threeDsOf']

export function tracedThreeDs(tracing: Tracing | null | undefined, threeDsOf: ThreeDsOf): ThreeDsOf {
  if (!tracing) return threeDsOf
  return (mode, name) => {
    const threeDs = threeDsOf(mode, name)
    return threeDs && withSpans(threeDs, mode, tracing)
  }
}

/** A create may wait for the previous batch, and another request's statement then writes its row. */
export function tracedInserts(tracing: Tracing | null | undefined, insert: InsertSession): InsertSession {
  if (!tracing) return insert
  return async (row) => {
    const span = tracing.step('write session', 'internal')
    try {
      await insert(row)
      span?.end()
    } catch (error) {
      span?.end({}, failureKind(error))
      throw error
    }
  }
}

function withSpans<T extends ThreeDs>(threeDs: T, mode: Mode, tracing: Tracing): T {
  const provider = 'name' in threeDs ? threeDs.name : 'own'
  const facts = { 'ripper.three_ds_provider': provider, 'ripper.mode': mode }
  const withSpan =
    <Q, A>(verb: string, call: Call<Q, A>): Call<Q, A> =>
    (request) =>
      traced(tracing, { name: `three_ds ${verb}`, ...facts }, () => call(request), resultOf)
  const { fetchResult } = threeDs as Partial<FetchedThreeDs>
  return {
    ...threeDs,
    enrolment: withSpan('enrolment', (card) => threeDs.enrolment(card)),
    authenticate: withSpan('authenticate', (request) => threeDs.authenticate(request)),
    ...(fetchResult && { fetchResult: withSpan('fetch_result', fetchResult) }),
  }
}

/** The word in which an answer gives its result. */
function resultOf(answer: unknown): SpanFacts {
  const { result, kind } = Object(answer) as { result?: unknown; kind?: unknown }
  const word = typeof answer === 'string' ? answer : (result ?? kind)
  return typeof word === 'string' ? { 'ripper.result': word } : {}
}
