// An answer that says no, and a server that cannot be reached.

export class Refused extends Error {
  /** 0 where no answer came. */
  readonly status: number
  /** As the catalogue of refusals has it; `unreachable` where no answer came. */
  readonly code: string
  /** The member of the body that is at fault, where one is. */
  readonly field: string | null
  /** Which rule it breaks, where that has a name, and the least or the most that the rule allows. */
  readonly fault: string | null
  readonly bound: number | null
  readonly request_id: string | null
  /** Seconds until the server wants to be asked again. */
  readonly retry_after: number | null
  readonly members: Record<string, unknown>

  constructor(status: number, members: Record<string, unknown>, retry_after: number | null = null) {
    const code = textOf(members.error) ?? textOf(members.code) ?? 'internal_error'
    super(textOf(members.message) ?? code)
    this.status = status
    this.code = code
    this.field = textOf(members.field)
    this.fault = textOf(members.fault)
    this.bound = typeof members.bound === 'number' ? members.bound : null
    this.request_id = textOf(members.request_id)
    this.retry_after = retry_after
    this.members = members
  }
}

export function unreachable(): Refused {
  return new Refused(0, { error: 'unreachable' })
}

/** What the page itself refuses to send: the field says so as if the service had. */
export function typo(field: string, fault: 'amount'): Refused {
  return new Refused(0, { error: 'typo', field, fault })
}

export async function refusedBy(response: Response): Promise<Refused> {
  const members = (await response.json().catch(() => ({}))) as Record<string, unknown>
  // One family of routes has the code a level deeper.
  const inner = typeof members.error === 'object' ? (members.error as Record<string, unknown>) : {}
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new Refused(
    response.status,
    { ...members, ...inner, error: textOf(members.error) ?? inner.code },
    Number.isFinite(after) ? after : null,
  )
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
