// An event in the stream of events, for the API's description, `ripper listen`, and the statement that finds it.

import { z } from 'zod'
import { anyEventTypes, compatibleEventTypes } from '../../kernel/values.ts'

export const streamedEvent = z.object({
  event_id: z.string(),
  type: z.enum([...new Set([...anyEventTypes, ...compatibleEventTypes])]),
  payment_id: z.string().meta({
    description: 'the payment; of a refund’s event, the refund; of one of the other platform’s alone, the session',
  }),
  body: z.string().meta({ description: 'the bytes that a webhook delivery has as its body' }),
})

export type StreamedEvent = z.output<typeof streamedEvent>
