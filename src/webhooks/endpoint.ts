// A webhook endpoint: the address to which a merchant's events are posted, which events, and the signing secret.

import { z } from 'zod'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import {
  type EndpointId,
  type EventType,
  type ExtensionEventType,
  eventTypes,
  extensionEventTypes,
  type MerchantId,
  type Mode,
  timestamp,
} from '../kernel/values.ts'

/** The key of an endpoint. It includes the merchant, so another account's endpoint is never found. */
export type EndpointKey = { merchant_id: string; endpoint_id: string }

export type Endpoint = {
  merchant_id: MerchantId
  endpoint_id: EndpointId
  url: string
  /** Empty for every event. */
  event_filter: EventType[]
  /** The further events that it gets beyond the specification's; null if the creating request lacked the member. */
  extension_events: ExtensionEventType[] | null
  /** The mode of the events that it gets; null for both. */
  mode: Mode | null
  status: 'active' | 'disabled'
  sealed_secret: Buffer
  created_at: Date
}

/** The most active endpoints that a merchant may have: each adds a delivery to every event. */
export const endpoints_max = 200

export const time = z.string().meta({ format: 'date-time' })

export const endpointView = z
  .object({
    id: z.string(),
    url: z.string(),
    event_filter: z.array(z.enum(eventTypes)),
    /** Absent where it was not sent. */
    extension_events: z.array(z.enum(extensionEventTypes)).optional().meta({ description: 'only where it was sent' }),
    /** Absent where it gets the events of both modes. */
    mode: z.enum(['test', 'live']).optional().meta({ description: 'only where it gets the events of one mode alone' }),
    status: z.enum(['active', 'disabled']),
    created_at: time,
  })
  .meta({ title: 'WebhookEndpoint', note: 'Where events are posted to.' })

/** A new endpoint, shown with its secret this once. */
export const endpointCreated = endpointView
  .extend({ signing_secret: z.string() })
  .meta({ title: 'WebhookEndpointCreated', note: 'A new endpoint. Only here it has its signing_secret.' })

export function viewEndpoint(endpoint: Omit<Endpoint, 'sealed_secret'>): z.input<typeof endpointView> {
  return {
    id: endpoint.endpoint_id,
    url: endpoint.url,
    event_filter: endpoint.event_filter,
    ...(endpoint.extension_events && { extension_events: endpoint.extension_events }),
    ...(endpoint.mode && { mode: endpoint.mode }),
    status: endpoint.status,
    created_at: timestamp(endpoint.created_at),
  }
}

/**
 * The `url` of a request, spelled as it was sent. `judge` gives the reason for a refusal, or null. Throws
 * `invalid_url`.
 */
export async function validateEndpointUrl(
  value: unknown,
  judge: (url: string) => Promise<string | null>,
): Promise<string> {
  const fault =
    value === undefined || value === null
      ? 'is required'
      : typeof value === 'string'
        ? await judge(value)
        : 'must be text'
  if (fault !== null) throw new Refusal('invalid_url', `url ${fault}.`, { field: 'url' })
  return value as string
}

/** The filter in the member `name`, each type once. Throws `unknown_event_type`. */
export function validateEventFilter<Type extends string = EventType>(
  filter: readonly unknown[] | null | undefined,
  name = 'event_filter',
  allowed: readonly Type[] = eventTypes as readonly string[] as readonly Type[],
): Type[] {
  const entries = filter ?? []
  const allowedTypes: readonly unknown[] = allowed
  const wrong = entries.findIndex((entry) => !allowedTypes.includes(entry))
  if (wrong >= 0) throw unknownType(`${name}[${wrong}]`, entries[wrong], allowed)
  return [...new Set(entries as Type[])]
}

/** The extension events of a request; null without the member. Throws `unknown_event_type`. */
export function validateExtensionEvents(events: readonly unknown[] | null | undefined): ExtensionEventType[] | null {
  return events ? validateEventFilter(events, 'extension_events', extensionEventTypes) : null
}

const retiredTypes: Record<string, EventType> = { 'payment.succeeded': 'payment.captured' }

function unknownType(field: string, entry: unknown, allowed: readonly string[]): Refusal {
  const now_called = typeof entry === 'string' && Object.hasOwn(retiredTypes, entry) && retiredTypes[entry]
  const words = now_called
    ? `is a retired event type, which is now called ${now_called}`
    : extensionEventTypes.some((type) => type === entry)
      ? 'is an extension event: name it in extension_events'
      : 'is not one of the event types'
  return new Refusal('unknown_event_type', `${field} ${words}.`, {
    field,
    members: { allowed: [...allowed] },
  })
}

export function endpointNotFound(): Refusal {
  return new Refusal('endpoint_not_found', 'There is no active webhook endpoint with this id.')
}

export function sealSecret(keyring: Keyring, endpoint: EndpointKey, secret: string): Buffer {
  return keyring.seal(Buffer.from(secret), secretName(endpoint))
}

/** Opens either of an endpoint's two secret columns. */
export function openSecret(keyring: Keyring, endpoint: EndpointKey, sealed: Buffer): string {
  return keyring.open(sealed, secretName(endpoint)).toString()
}

/** The identity that `rewrap` needs, the same for both columns: a rotation moves the bytes between them. */
export function secretName({ merchant_id, endpoint_id }: EndpointKey): string {
  return JSON.stringify(['webhook secret', merchant_id, endpoint_id])
}
