// An event in the stream of events, for the API's description, `ripper listen`, and the statement that finds it.

import { z } from 'zod'
import { anyEventTypes } from '../../kernel/values.ts'

export const streamedEvent = z.object({
  event_id: z.string(),
  type: z.enum(anyEventTypes),
  payment_id: z.string().meta({ description: 'the payment; of a refund’s event, the refund' }),
  body: z.string().meta({ description: 'the bytes that a webhook delivery has as its body' }),
})

export type StreamedEvent = z.output<typeof streamedEvent>
