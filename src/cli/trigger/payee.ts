// Chooses the merchant and the keys of a test payment: given ones, the demo merchant's, or some made only for this
// payment.

import { permissions } from '../../http/access.ts'
import type { MerchantId } from '../../kernel/values.ts'
import type { Integration } from '../../merchants/integration.ts'
import { createKey, withdrawKey, withdrawPublishableKey } from '../../merchants/manage.ts'
import { listIntegrations } from '../../merchants/store.ts'
import { type Demo, readDemo } from '../../service/demo.ts'
import { type CommandContext, merchantOf } from '../command-context.ts'
import type { Connection } from '../service/connection.ts'
import { CommandError, UsageError } from '../terminal/command.ts'
import { terminal } from '../terminal/terminal.ts'
import type { Payee } from './payment.ts'

/** What the user says of the page of the payment. */
export type PageOptions = Partial<Record<'publishable-key' | 'integration' | 'origin', string | undefined>>

/** If only a key is given, the options say everything that is known of the merchant. */
export function payeeByKey(connection: Connection, options: PageOptions): Payee {
  const { secret_key, base_url } = connection
  const { 'publishable-key': publishable_key = connection.publishable_key, integration = null } = options
  const origin = options.origin ?? new URL(base_url).origin
  return { secret_key, page: publishable_key === null ? null : { publishable_key, integration, origin } }
}

/** Throws if a course needs a page and there is no publishable key for it. */
export function requirePage({ page }: Payee): void {
  if (page !== null) return
  throw new UsageError(
    'needs --publishable-key for this event, and --origin if the integration does not allow the address of the service',
  )
}

/**
 * Runs the work with keys of the chosen merchant: the demo merchant's own, or test-only keys, which expire after five minutes and are
 * revoked afterwards in any case. Needs the database.
 */
export async function withPayee<T>(
  context: CommandContext,
  {
    options,
    needs_page,
    json,
  }: { options: PageOptions & { merchant?: string | undefined }; needs_page: boolean; json: boolean },
  work: (payee: Payee, merchant_id: MerchantId) => Promise<T>,
): Promise<T> {
  const merchant_id = await merchantOf(context, options.merchant, json)
  const integration = needs_page ? await pageOf(context, merchant_id, options) : null
  const run = (keys: Keys) => work(payeeOf(keys, integration, options), merchant_id)
  const demo = readDemo(context.data_dir)
  return demo?.merchant_id === merchant_id ? run(demo) : withOwnKeys(context, merchant_id, run)
}

/** The user pressed Ctrl-C. Requests may still be under way. */
export class InterruptedError extends CommandError {}

type Keys = Pick<Demo, 'secret_key' | 'publishable_key'>

function payeeOf(
  { secret_key, publishable_key }: Keys,
  integration: Integration | null,
  { origin }: PageOptions,
): Payee {
  const page = integration && {
    publishable_key,
    integration: integration.name,
    origin: origin ?? integration.allowed_origins[0]!,
  }
  return { secret_key, page }
}

const own_key_life_ms = 5 * 60 * 1000

async function withOwnKeys<T>(
  context: CommandContext,
  merchant_id: MerchantId,
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  const { secret_key, key } = await createKey(context, merchant_id, {
    permissions: [...permissions],
    // This makes sure that no session is live.
    mode: 'test_only',
    allowed_addresses: [],
    allowed_origins: [],
    expires_at: new Date(context.clock.now().getTime() + own_key_life_ms),
    // Paired with a publishable key of the merchant's pages, it could turn them to test mode.
    pair: 'own',
  })
  const publishable_key = key.publishable_key!
  try {
    return await unlessInterrupted(work({ secret_key, publishable_key }))
  } finally {
    await withdrawKey(context, key.key_id)
    await withdrawPublishableKey(context, publishable_key)
  }
}

/** Ctrl-C ends the work like a failure, so that the clean-up still runs. */
async function unlessInterrupted<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new InterruptedError('interrupted'))
  const { signals } = terminal()
  signals.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    return await Promise.race([work, promise])
  } finally {
    signals.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

/** An integration whose pages create sessions with an unverified amount; the default one before others. */
async function pageOf(
  { sql }: CommandContext,
  merchant_id: string,
  { integration: integration_name }: PageOptions,
): Promise<Integration> {
  const all = (await listIntegrations(sql, merchant_id)).filter(({ deleted_at }) => deleted_at === null)
  const open = all.filter(leavesAmountOpen).sort((a, b) => Number(b.is_default) - Number(a.is_default))
  const fitting = open.find(({ name }) => integration_name === undefined || name === integration_name)
  if (fitting) return fitting
  const what = 'with an allowed origin and no prices that does not require a verified amount'
  const others =
    open.length > 0
      ? `These can: ${open.map(({ name }) => name).join(', ')}.`
      : `To make one: ripper integration create --merchant ${merchant_id} --name trigger --origin https://shop.example`
  const fault =
    integration_name === undefined
      ? `No integration of ${merchant_id} can hold a payment`
      : all.some(({ name }) => name === integration_name)
        ? `The integration ${integration_name} cannot hold a payment`
        : `${merchant_id} has no integration ${integration_name}`
  throw new CommandError(`${fault}: it takes one ${what}.\n${others}`)
}

function leavesAmountOpen(integration: Integration): boolean {
  const { allowed_origins, price_list, default_amount, require_verified_amount } = integration
  const has_prices = price_list !== null || default_amount !== null
  return allowed_origins.length > 0 && !has_prices && !require_verified_amount
}
