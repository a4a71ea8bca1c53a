// The schemas that vendors' credentials share. No message repeats a value.

import { z } from 'zod'

/** Sent in a header or as part of an address, so it must not contain characters that end either. */
export const secret = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1,000 characters')
  .regex(/^[\x21-\x7e]*$/, 'must be of ASCII characters without spaces')

/** Replaces the vendor's own address. The code that connects judges whether the address may be called. */
export const apiUrl = secret.optional()
