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

/** Which endpoint. The merchant comes with the key, so another account's endpoint is never found. */
export type EndpointKey = { merchant_id: string; endpoint_id: string }

export type Endpoint = {
  merchant_id: MerchantId
  endpoint_id: EndpointId
  url: string
  /** Empty for every event. */
  event_filter: EventType[]
  /** The events beyond the specification's that it gets; null where it was created without the member. */
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

/** The `url` as it was sent and spelled. `judge` gives the reason for a refusal, or null. Throws `invalid_url`. */
export async function validateEndpointUrl(
  sent: unknown,
  judge: (url: string) => Promise<string | null>,
): Promise<string> {
  const fault =
    sent === undefined || sent === null ? 'is required' : typeof sent === 'string' ? await judge(sent) : 'must be text'
  if (fault !== null) throw new Refusal('invalid_url', `url ${fault}.`, { field: 'url' })
  return sent as string
}

/** The filter that was sent under this name, each type once. Throws `unknown_event_type`. */
export function validateEventFilter<Type extends string = EventType>(
  sent: readonly unknown[] | null | undefined,
  name = 'event_filter',
  allowed: readonly Type[] = eventTypes as readonly string[] as readonly Type[],
): Type[] {
  const entries = sent ?? []
  const known: readonly unknown[] = allowed
  const wrong = entries.findIndex((entry) => !known.includes(entry))
  if (wrong >= 0) throw unknownType(`${name}[${wrong}]`, entries[wrong], allowed)
  return [...new Set(entries as Type[])]
}

/** The extension events that were sent; null where none were sent. Throws `unknown_event_type`. */
export function validateExtensionEvents(sent: readonly unknown[] | null | undefined): ExtensionEventType[] | null {
  return sent ? validateEventFilter(sent, 'extension_events', extensionEventTypes) : null
}

const retired: Record<string, EventType> = { 'payment.succeeded': 'payment.captured' }

function unknownType(field: string, entry: unknown, allowed: readonly string[]): Refusal {
  const now_called = typeof entry === 'string' && Object.hasOwn(retired, entry) && retired[entry]
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
