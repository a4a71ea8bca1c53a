// How large the body of each route may be, and how much it may contain. Every reader of a body stops at these limits,
// before it builds more.

export type BodyLimits = {
  bytes: number
  /** JSON values, nested ones included. */
  values: number
  /** Members of one object. */
  members: number
  /** The depth of nested objects and lists. */
  levels: number
  /** Pairs of a form; 0 if forms are not read. */
  pairs: number
}

const kilobyte = 1024

/** No body of any route is larger. */
export const body_bytes_max = 128 * kilobyte

/** A route's record names its kind. The largest honest body of a kind uses about half of the limits. */
export const bodyLimits = {
  /** Neither read nor kept. */
  none: { bytes: 0, values: 0, members: 0, levels: 0, pairs: 0 },
  /** The limits of a route that names no kind. */
  fields: { bytes: 32 * kilobyte, values: 500, members: 200, levels: 32, pairs: 200 },
  /** A session: 100 lines, two maps of metadata. */
  basket: { bytes: body_bytes_max, values: 2_000, members: 1_000, levels: 32, pairs: 500 },
  /** A hundred lines as a form, each value with its whole name. */
  lines: { bytes: body_bytes_max, values: 4_000, members: 1_000, levels: 32, pairs: 2_000 },
  /** A price list of 1,000 goods, or 1,000 references. Only signed-in people send it. */
  list: { bytes: body_bytes_max, values: 10_000, members: 200, levels: 32, pairs: 0 },
  /** An acquirer's post, which may contain many notices. */
  notice: { bytes: 64 * kilobyte, values: 5_000, members: 1_000, levels: 32, pairs: 0 },
  /** A message of 3-D Secure between servers. */
  message: { bytes: 8 * kilobyte, values: 200, members: 200, levels: 32, pairs: 0 },
  /** A post from a bank's page through the shopper's browser. */
  form: { bytes: 16 * kilobyte, values: 200, members: 200, levels: 32, pairs: 50 },
} as const satisfies Record<string, BodyLimits>

export type BodyKind = keyof typeof bodyLimits

/** The kind of a route's body, by its record: a route without a schema of a body takes none. */
export function bodyKindOf({ body, body_kind }: { body?: unknown; body_kind?: BodyKind | undefined }): BodyKind {
  return body === undefined ? 'none' : (body_kind ?? 'fields')
}
