// How large the body of each route may be, and what it may hold. Whatever reads a body stops at these bounds, before it
// builds more.

export type BodyLimits = {
  bytes: number
  /** Values of JSON, those within others included. */
  values: number
  /** Members of one object. */
  members: number
  /** Objects and lists within each other. */
  levels: number
  /** Pairs of a form; 0 where forms are not read. */
  pairs: number
}

const kilobyte = 1024

/** No body of any route is larger. */
export const body_bytes_max = 128 * kilobyte

/** A route's record names its kind. The largest honest body of a kind has about half of what is allowed. */
export const bodyLimits = {
  /** Neither read nor kept. */
  none: { bytes: 0, values: 0, members: 0, levels: 0, pairs: 0 },
  /** What a route takes that names no kind. */
  fields: { bytes: 32 * kilobyte, values: 500, members: 200, levels: 32, pairs: 200 },
  /** A session: 100 lines, two maps of metadata. */
  basket: { bytes: body_bytes_max, values: 2_000, members: 1_000, levels: 32, pairs: 500 },
  /** A price list of 1,000 goods, or 1,000 references. Only people who are signed in send it. */
  list: { bytes: body_bytes_max, values: 10_000, members: 200, levels: 32, pairs: 0 },
  /** What an acquirer posts: it may send many notices at once. */
  notice: { bytes: 64 * kilobyte, values: 5_000, members: 1_000, levels: 32, pairs: 0 },
  /** A message of 3-D Secure between servers. */
  message: { bytes: 8 * kilobyte, values: 200, members: 200, levels: 32, pairs: 0 },
  /** What a bank's page posts through the shopper's browser. */
  form: { bytes: 16 * kilobyte, values: 200, members: 200, levels: 32, pairs: 50 },
} as const satisfies Record<string, BodyLimits>

export type BodyKind = keyof typeof bodyLimits

/** The kind of a route's body by its record: a route whose record has no schema of a body takes none. */
export function bodyKindOf({ body, body_kind }: { body?: unknown; body_kind?: BodyKind | undefined }): BodyKind {
  return body === undefined ? 'none' : (body_kind ?? 'fields')
}
