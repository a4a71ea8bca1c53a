// Connections at the dashboard: the list, a new one, a check, other credentials, and the end of new charges. Credentials come in and
// never go out.

import { z } from 'zod'
import { checkConnection } from '../../connections/check-connection.ts'
import { type Connection, type Credentials, isLabel, label_words, noticeUrl } from '../../connections/connection.ts'
import { listConnections } from '../../connections/connection-store.ts'
import { type KnownConnector, membersOf } from '../../connections/connectors.ts'
import { environmentDoubt } from '../../connections/environment.ts'
import { judgeCredentials } from '../../connections/judge-credentials.ts'
import {
  connectionOrRefuse,
  createConnection,
  disableConnection,
  rotateCredentials,
} from '../../connections/manage-connections.ts'
import { route } from '../../http/route.ts'
import { type ConnectionMode, connection_modes, modeOfPayments } from '../../kernel/connection-mode.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type Mode, timestamp, timestampOrNull } from '../../kernel/values.ts'
import { connection_kinds } from '../../merchants/account-connection.ts'
import type { Context } from '../../payments/context.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { officeOf } from '../office.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const }
const ofOne = signedIn('manage_connections', { gravity: 'grave', mode: modeOfConnection })
const nothing = { body: z.strictObject({}), body_optional: true as const }
const check_max_ms = 15_000
const reason_max = 300

/** As the vendor names them; the connector judges which there are. */
const credentials = z.record(z.string().max(100), z.string().max(4_000))

const connectionView = z.object({
  connection_id: z.string(),
  kind: z.enum(connection_kinds),
  connector: z.string(),
  label: z.string(),
  mode: z.enum(connection_modes),
  state: z.enum(['active', 'disabled']),
  /** Where the vendor is to post its notices; null for a provider that posts none. */
  notice_url: z.string().nullable(),
  created_at: z.string(),
  rotated_at: z.string().nullable(),
  disabled_at: z.string().nullable(),
})

/** With the doubt about its credentials, if there is one. */
const connectionStored = connectionView.extend({ doubt: z.string().nullable() })

export const listConnectionsHere = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/connections',
  summary: 'The connections of a mode, oldest first, and what each connector wants',
  access: signedIn('manage_connections', { mode: 'query' }),
  query: z.strictObject({ mode: z.enum(['test', 'live']) }),
  status: 200,
  reply: z.object({
    connections: z.array(connectionView),
    connectors: z.array(
      z.object({
        connector: z.string(),
        kind: z.enum(connection_kinds),
        required: z.array(z.string()),
        optional: z.array(z.string()),
      }),
    ),
  }),
  refusals: [],
  handle: async ({ sql, addresses, vendors }: Context, { holder, query }) => {
    const found = await listConnections(sql, holder.merchant_id)
    const shown = found.filter(({ mode }) => modeOfPayments[mode] === query.mode)
    return {
      connections: shown.map((each) => viewConnection(each, addresses.base_url())),
      connectors: vendors.connectors.map((each) => ({ connector: each.name, kind: each.kind, ...membersOf(each) })),
    }
  },
})

export const createConnectionHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/connections',
  summary: 'Make a connection; its credentials are sealed and never shown again',
  access: signedIn('manage_connections', { gravity: 'grave', mode: modeOfNew }),
  body: z.strictObject({
    connector: z.string(),
    label: z.string().refine(isLabel, `must have ${label_words}`),
    mode: z.enum(connection_modes),
    credentials,
  }),
  status: 201,
  reply: connectionStored,
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, body, request_id }) => {
    const { label, mode } = body
    const connector = connectorOrRefuse(context, body.connector)
    const { kept, doubt } = await judged(context, connector, { file: body.credentials, mode })
    const { kind, name } = connector
    const asked = { kind, connector: name, label, mode, credentials: kept }
    const office = { ...officeOf(context, holder, request_id), keyring: context.keyring }
    const made = await createConnection(office, holder.merchant_id, asked)
    return { ...viewConnection(made, context.addresses.base_url()), doubt }
  },
})

export const rotateCredentialsHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/connections/{connection_id}/credentials',
  summary: 'Put other credentials in place; notices count by those before for a day',
  access: ofOne,
  body: z.strictObject({ credentials }),
  status: 200,
  reply: connectionStored,
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, params, body, request_id }) => {
    const found = await ownOrRefuse(context, holder.merchant_id, params.connection_id!)
    const connector = connectorOrRefuse(context, found.connector)
    const { mode } = found
    const { kept, doubt } = await judged(context, connector, { file: body.credentials, mode })
    const office = { ...officeOf(context, holder, request_id), keyring: context.keyring }
    const rotated = await rotateCredentials(office, found.connection_id, kept)
    return { ...viewConnection(rotated, context.addresses.base_url()), doubt }
  },
})

export const checkConnectionHere = route({
  where: 'whole',
  ...shared,
  ...nothing,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/connections/{connection_id}/check',
  summary: 'Ask the vendor whether it takes the credentials; moves nothing',
  access: signedIn('manage_connections', { mode: modeOfConnection }),
  status: 200,
  reply: z.object({
    works: z.boolean(),
    reason: z.string().nullable(),
    notes: z.array(z.string()),
  }),
  refusals: [],
  handle: async (context: Context, { holder, params }) => {
    const found = await ownOrRefuse(context, holder.merchant_id, params.connection_id!)
    const { keyring, vendors, world } = context
    const answer = await checkConnection({ keyring, clock: world.clock, ...vendors }, found, check_max_ms)
    return answer.result === 'works'
      ? { works: true, reason: null, notes: answer.notes }
      : { works: false, reason: answer.reason.slice(0, reason_max), notes: [] }
  },
})

export const disableConnectionHere = route({
  where: 'whole',
  ...shared,
  ...nothing,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/connections/{connection_id}/disable',
  summary: 'Let no new charge go to a connection; what it charged is still settled there',
  access: ofOne,
  status: 200,
  reply: connectionView,
  refusals: [],
  handle: async (context: Context, { holder, params, request_id }) => {
    const found = await ownOrRefuse(context, holder.merchant_id, params.connection_id!)
    const office = { ...officeOf(context, holder, request_id), keyring: context.keyring }
    const disabled = await disableConnection(office, found.connection_id)
    return viewConnection(disabled, context.addresses.base_url())
  },
})

async function modeOfNew(_: unknown, _ids: Record<string, string>, body: () => unknown): Promise<Mode> {
  return (body() as { mode?: unknown } | undefined)?.mode === 'sandbox' ? 'test' : 'live'
}

async function modeOfConnection(
  { sql }: Pick<Context, 'sql'>,
  { merchant_id = '', connection_id }: Record<string, string>,
): Promise<Mode | null> {
  const all = await listConnections(sql, merchant_id)
  const found = all.find((each) => each.connection_id === connection_id)
  return found ? modeOfPayments[found.mode] : null
}

async function ownOrRefuse(context: Context, merchant_id: string, connection_id: string) {
  const found = await connectionOrRefuse(context, connection_id).catch((error) => {
    throw error instanceof Refusal ? notThere() : error
  })
  if (found.merchant_id !== merchant_id) throw notThere()
  return found
}

function connectorOrRefuse({ vendors }: Pick<Context, 'vendors'>, name: string): KnownConnector {
  const found = vendors.connectors.find((each) => each.name === name)
  if (found) return found
  const field = 'connector'
  const words = `${field} is none that this release knows.`
  throw new Refusal('invalid_request', words, { field, fault: 'not_offered' })
}

async function judged(
  { vendors }: Pick<Context, 'vendors'>,
  connector: KnownConnector,
  asked: { file: Credentials; mode: ConnectionMode },
): Promise<{ kept: Credentials; doubt: string | null }> {
  const kept = await judgeCredentials(connector, asked, vendors.judgeApiUrl)
  return { kept, doubt: environmentDoubt(connector, kept, asked.mode) }
}

function viewConnection(connection: Connection, base_url: string): z.input<typeof connectionView> {
  const { connection_id, kind, connector, label, mode, state } = connection
  return {
    connection_id,
    kind,
    connector,
    label,
    mode,
    state,
    notice_url: kind === 'acquirer' ? noticeUrl(base_url, connection) : null,
    created_at: timestamp(connection.created_at),
    rotated_at: timestampOrNull(connection.rotated_at),
    disabled_at: timestampOrNull(connection.disabled_at),
  }
}
