// An event as the stream of events tells of it: to the description, to `ripper listen`, and to the statement that finds it.

import { z } from 'zod'
import { eventTypes } from '../../kernel/values.ts'

export const streamedEvent = z.object({
  event_id: z.string(),
  type: z.enum(eventTypes),
  payment_id: z.string(),
  body: z.string().meta({ description: 'the bytes that a webhook delivery has as its body' }),
})

export type StreamedEvent = z.output<typeof streamedEvent>
