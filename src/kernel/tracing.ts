// Traces as a port: which steps a request took, and how long each lasted. If no traces are wanted, there is no Tracing
// at all.

/**
 * Names, ids of ours, states and codes; never a parameter, a secret or card data. Null and undefined members are left
 * out.
 */
export type SpanFacts = Record<string, string | number | boolean | null | undefined>

/** A step that has begun. A step that never ends is never sent. */
export type Span = {
  /** Runs the work so that its steps belong to this one. */
  within<T>(work: () => T): T
  /** `failure` is a code or a kind of failure, never its message. */
  end(facts?: SpanFacts, failure?: string | null): void
}

export type Tracing = {
  /** Begins a trace. Every span of the trace also has `sharedFacts`. */
  begin(name: string, kind: 'server' | 'client', facts: SpanFacts, sharedFacts?: SpanFacts): Span
  /**
   * Begins a step of the current span. Null outside of a span, and after its trace has ended: work after the answer
   * does not belong to the request.
   */
  step(name: string, kind: 'client' | 'internal', facts?: SpanFacts): Span | null
}

export type OpenedTracing = Tracing & {
  /** Sends the rest, for a few seconds at most. Never rejects. */
  close(): Promise<void>
}

/** Runs a call as a step of the current span; outside of one, as a trace of its own. */
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

/** The code of a failure, or otherwise its kind. Its message may repeat sent data. */
export function failureKind(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return error instanceof Error ? error.constructor.name : String(name ?? 'unknown')
}
