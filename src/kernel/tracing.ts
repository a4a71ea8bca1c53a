// Traces as a port: which steps a request took, and how long each. Where nobody asked for traces there is no Tracing at all.

/** Never a parameter, a secret or card data: names, ids of ours, states and codes. What is null or undefined is left out. */
export type SpanFacts = Record<string, string | number | boolean | null | undefined>

/** A step that has begun. One that never ends is never sent. */
export type Span = {
  /** Runs the work so that the steps it begins belong to this one. */
  within<T>(work: () => T): T
  /** `failure` is a code or a kind of failure, never its message. */
  end(facts?: SpanFacts, failure?: string | null): void
}

export type Tracing = {
  /** Begins a trace. Each span that comes to belong to it has the `shared` facts, too. */
  begin(name: string, kind: 'server' | 'client', facts: SpanFacts, sharedFacts?: SpanFacts): Span
  /**
   * Begins a step of the span within which this is called. Null outside of one, and where its trace has ended: what
   * goes on after the answer does not belong to the request.
   */
  step(name: string, kind: 'client' | 'internal', facts?: SpanFacts): Span | null
}

export type OpenedTracing = Tracing & {
  /** Sends what is left, for a few seconds at most. Never rejects. */
  close(): Promise<void>
}

/** Runs a call as a step of what is under way; outside of that, as a trace of its own. */
export async function traced<T>(
  tracing: Tracing,
  { name, ...facts }: SpanFacts & { name: string },
  call: () => Promise<T>,
  factsOf: (result: T) => SpanFacts = () => ({}),
): Promise<T> {
  const span = tracing.step(name, 'client', facts) ?? tracing.begin(name, 'client', facts)
  try {
    const result = await span.within(call)
    span.end(factsOf(result))
    return result
  } catch (error) {
    span.end({}, failureKind(error))
    throw error
  }
}

/** The code of a failure, or else its kind. Its message may repeat what was sent. */
export function failureKind(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return error instanceof Error ? error.constructor.name : String(name ?? 'unknown')
}
