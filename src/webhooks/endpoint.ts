// A webhook endpoint: the address to which a merchant's events are posted, which events, and the signing secret.

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import {
  type CompatibleEventType,
  compatibleEventTypes,
  type EndpointId,
  type EventFormat,
  type EventType,
  type ExtensionEventType,
  eventFormats,
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
  /** In whose words it is told of events. */
  event_format: EventFormat
  /** Types in those words. Empty for every event. */
  event_filter: (EventType | CompatibleEventType)[]
  /** The further events that it gets beyond the specification's; null if the creating request lacked the member. */
  extension_events: ExtensionEventType[] | null
  /** The mode of the events that it gets; null for both. */
  mode: Mode | null
  /** The version that its events carry in the other platform's words; null in ours. */
  compatible_version: string | null
  description: string | null
  metadata: Record<string, string>
  /** Whether its deliveries have the headers of Standard Webhooks, too. */
  standard_webhooks: boolean
  status: 'active' | 'disabled'
  /** Whether it is disabled only until its owner enables it again. */
  may_return: boolean
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
    event_filter: z.array(z.union([z.enum(eventTypes), z.enum(compatibleEventTypes)])),
    /** Absent where it is told in our own words. */
    event_format: z.enum(eventFormats).optional().meta({ description: 'only where it is stripe' }),
    api_version: z.string().optional().meta({ description: 'of its events; only where event_format is stripe' }),
    standard_webhooks: z.literal(true).optional().meta({ description: 'only where its deliveries have those headers' }),
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
  .extend({
    signing_secret: z.string(),
    standard_signing_secret: z.string().optional().meta({ description: 'only with standard_webhooks' }),
  })
  .meta({ title: 'WebhookEndpointCreated', note: 'A new endpoint. Only here it has its signing_secret.' })

export function viewEndpoint(endpoint: Omit<Endpoint, 'sealed_secret'>): z.input<typeof endpointView> {
  return {
    id: endpoint.endpoint_id,
    url: endpoint.url,
    event_filter: endpoint.event_filter,
    ...(endpoint.event_format === 'stripe' && {
      event_format: endpoint.event_format,
      api_version: endpoint.compatible_version!,
    }),
    ...(endpoint.standard_webhooks && { standard_webhooks: true as const }),
    ...(endpoint.extension_events && { extension_events: endpoint.extension_events }),
    ...(endpoint.mode && { mode: endpoint.mode }),
    status: endpoint.status,
    created_at: timestamp(endpoint.created_at),
  }
}

/** Shown once: the secret, and the one of Standard Webhooks where deliveries have its headers. */
export function viewSecrets(
  { standard_webhooks }: Pick<Endpoint, 'standard_webhooks'>,
  signing_secret: string,
): { signing_secret: string; standard_signing_secret?: string } {
  return {
    signing_secret,
    ...(standard_webhooks && {
      standard_signing_secret: `${standard_prefix}${standardKeyOf(signing_secret).toString('base64')}`,
    }),
  }
}

const standard_prefix = 'whsec_'

/**
 * The key of Standard Webhooks. It follows from the endpoint's signing secret, so one rotation turns both, and nothing
 * more is stored.
 */
export function standardKeyOf(signing_secret: string): Buffer {
  return createHmac('sha256', signing_secret).update('standard webhooks').digest()
}

/** A new signing secret, in the form that the libraries of its format expect. */
export function secretIn(format: EventFormat, signing_secret: string): string {
  return format === 'stripe' ? signing_secret.replace(/^rip_/, '') : signing_secret
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

/** The filter of an endpoint that is told in the other platform's words. Throws `unknown_event_type`. */
export function validateCompatibleFilter(
  filter: readonly unknown[] | null | undefined,
  name = 'event_filter',
): CompatibleEventType[] {
  return validateEventFilter(filter, name, compatibleEventTypes)
}

const retiredTypes: Record<string, EventType> = { 'payment.succeeded': 'payment.captured' }

function unknownType(field: string, entry: unknown, allowed: readonly string[]): Refusal {
  return new Refusal('unknown_event_type', `${field} ${faultOfType(entry, allowed)}.`, {
    field,
    members: { allowed: [...allowed] },
  })
}

function faultOfType(entry: unknown, allowed: readonly string[]): string {
  const is_ours = allowed !== compatibleEventTypes
  const now_called = typeof entry === 'string' && Object.hasOwn(retiredTypes, entry) && retiredTypes[entry]
  if (is_ours && now_called) return `is a retired event type, which is now called ${now_called}`
  if (is_ours && extensionEventTypes.some((type) => type === entry)) {
    return 'is an extension event: name it in extension_events'
  }
  if (is_ours && compatibleEventTypes.some((type) => type === entry)) {
    return 'is an event type of the other platform: send event_format as well'
  }
  if (is_ours) return 'is not one of the event types'
  return `${namedType(entry)}is not one of the event types that are sent: ${allowed.join(', ')}`
}

/** An event type is no secret, so its sender may read it again. */
function namedType(entry: unknown): string {
  return typeof entry === 'string' && /^[a-z_.]{1,64}$/.test(entry) ? `(${entry}) ` : ''
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
