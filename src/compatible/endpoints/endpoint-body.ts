// What may be sent of a webhook endpoint in the other platform's words.

import { z } from 'zod'
import type { FormRules } from '../../http/form.ts'
import { compatible_version_words, compatibleEventTypes, compatibleVersionForm } from '../../kernel/values.ts'
import { metadata, must, optionalText } from '../../payments/fields.ts'
import { entriesOf } from '../expand.ts'

/** `enabled_events[0]` and `enabled_events[]` of forms are a list, as in JSON. */
const enabledEvents = z
  .preprocess(entriesOf, z.array(z.unknown(), must('be a list of event types')).min(1, must('name an event type')))
  .meta({ type: 'array', items: { type: 'string', enum: [...compatibleEventTypes, '*'] } })

const shared = {
  url: z.unknown().optional().meta({ type: 'string', description: 'https, not a private or local address' }),
  description: optionalText(5000),
  metadata: metadata.nullish(),
}

export const webhookEndpointCreate = z
  .strictObject({
    ...shared,
    enabled_events: enabledEvents,
    api_version: z
      .string(must('be text'))
      .regex(compatibleVersionForm, must(compatible_version_words))
      .nullish()
      .meta({ description: 'what its events carry; their shape is one' }),
  })
  .meta({
    title: 'CompatibleWebhookEndpointCreate',
    note: 'The body that registers a webhook endpoint in the other platform’s words.',
    required: ['url', 'enabled_events'],
  })

export const webhookEndpointUpdate = z
  .strictObject({
    ...shared,
    enabled_events: enabledEvents.optional(),
    disabled: z
      .preprocess(truthOf, z.boolean(must('be true or false')))
      .optional()
      .meta({ type: 'boolean', description: 'whether it is told of nothing until it is enabled again' }),
  })
  .meta({ title: 'CompatibleWebhookEndpointUpdate', note: 'What changes of a webhook endpoint.' })

export const endpointForm: FormRules = { integers: [], maps: ['metadata'], clearable: ['metadata'] }

/** A form has text. */
function truthOf(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value
}
