// A currency in a request: accepted in any case, and written in one from then on.

import { z } from 'zod'
import { currencyOf } from '../kernel/values.ts'
import { withFault } from './validate.ts'

const words = 'must be an active ISO 4217 code of three letters'

export const currency = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : words) })
  .refine((code) => /^[A-Za-z]{3}$/.test(code) && currencyOf(code) !== undefined, withFault('currency', words))
  .transform((code) => code.toUpperCase())
  .meta({ type: 'string', pattern: '^[A-Za-z]{3}$', description: 'ISO 4217, in any case' })
