// A statement as it is written down: its template and its values. The driver gets it when somebody waits for it, and until
// then it may become a part of another one. The driver's own would be a promise from the start, and most are parts.

import type postgres from 'postgres'

export type Values = readonly unknown[]

/** How the driver is to take a text that is no template. */
export type UnsafeOptions = Parameters<postgres.ISql['unsafe']>[2]

/** Runs a statement and settles it. */
export type Handler = (statement: Statement) => void

type Ending = PromiseWithResolvers<unknown>
type Heard = ((told: unknown) => unknown) | null

export class Statement {
  readonly strings: readonly string[]
  readonly args: Values
  /** Null for a template. */
  readonly unsafe: UnsafeOptions | null
  /** Whoever stands between changes these three. */
  handler: Handler
  private resolver: ((result: unknown) => void) | null = null
  private rejecter: ((error: unknown) => void) | null = null
  private ending: Ending | null = null
  private is_begun = false

  constructor(
    handler: Handler,
    strings: readonly string[],
    args: Values,
    unsafe: UnsafeOptions | null = null,
  ) {
    this.handler = handler
    this.strings = strings
    this.args = args
    this.unsafe = unsafe
  }

  get resolve(): (result: unknown) => void {
    return this.resolver ?? this.end().resolve
  }

  set resolve(resolver) {
    this.resolver = resolver
  }

  get reject(): (error: unknown) => void {
    return this.rejecter ?? this.end().reject
  }

  set reject(rejecter) {
    this.rejecter = rejecter
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like the driver's own
  then(done?: Heard, failed?: Heard): Promise<unknown> {
    return this.begin().then(done, failed)
  }

  catch(failed?: Heard): Promise<unknown> {
    return this.begin().catch(failed)
  }

  finally(over?: () => void): Promise<unknown> {
    return this.begin().finally(over)
  }

  private begin(): Promise<unknown> {
    const { promise } = this.end()
    if (!this.is_begun) {
      this.is_begun = true
      this.handler(this)
    }
    return promise
  }

  private end(): Ending {
    this.ending ??= Promise.withResolvers()
    return this.ending
  }
}

export function isStatement(made: unknown): made is Statement {
  return made instanceof Statement
}
