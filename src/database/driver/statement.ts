// A statement in its written form: its template and its values. It is sent when a caller waits for it, and until then
// it may become a part of another one.

export type Values = readonly unknown[]

/** Runs a statement and settles it. */
export type Handler = (statement: Statement) => void

type Ending = PromiseWithResolvers<unknown>
type Heard = ((value: unknown) => unknown) | null

export class Statement {
  readonly strings: readonly string[]
  readonly args: Values
  /** Whether it is a text of its own, which may consist of several statements, and not a template. */
  readonly is_text: boolean
  /** Wrappers change these three. */
  handler: Handler
  private resolver: ((result: unknown) => void) | null = null
  private rejecter: ((error: unknown) => void) | null = null
  private ending: Ending | null = null
  private is_begun = false

  constructor(handler: Handler, strings: readonly string[], args: Values, is_text = false) {
    this.handler = handler
    this.strings = strings
    this.args = args
    this.is_text = is_text
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

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise
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

export function isStatement(value: unknown): value is Statement {
  return value instanceof Statement
}
