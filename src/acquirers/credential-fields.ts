// What members of vendors' credentials have in common. No message repeats a value.

import { z } from 'zod'

/** Sent as a header or a part of an address, so nothing in it may end either. */
export const secret = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1,000 characters')
  .regex(/^[\x21-\x7e]*$/, 'must be of ASCII characters without spaces')

/** In place of the vendor's own address. Whether it may be called is judged where a connection is made. */
export const apiUrl = secret.optional()
