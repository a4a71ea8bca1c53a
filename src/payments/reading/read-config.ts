// The configuration of a checkout: GET /v1/checkout/config/{public_key}, …/methods/{public_key}, …/handles/{handle}.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { brands, type Mode } from '../../kernel/values.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { defaultIntegration } from '../../merchants/directory.ts'
import { confirmationUrlIn, priceView, viewPrice } from '../../merchants/integration.ts'
import { linksView, viewLinks } from '../../merchants/links.ts'
import { modeOf } from '../../merchants/merchant.ts'
import { handleInPath, publicKeyInPath } from '../../merchants/public-access.ts'
import { hostedIntegration, type PublicAccount } from '../../merchants/public-account.ts'
import { handleCors, publicKeyCors } from '../../merchants/public-cors.ts'
import type { Context } from '../context.ts'
import { noProvider, providerForNew } from '../three-ds-provider.ts'
import { mode } from '../views.ts'

const methods = [{ type: 'card' as const, brands: [...brands] }]
const methodsView = z.array(
  z
    .object({ type: z.literal('card'), brands: z.array(z.string()) })
    .meta({ title: 'PaymentMethod', note: 'A payment method with its brands.' }),
)

const three_ds_versions = ['2.1.0', '2.2.0']

export const configView = z
  .object({
    public_key: z.string(),
    mode,
    merchant: z.object({ name: z.string() }),
    integration: z.object({ name: z.string() }),
    methods: methodsView,
    pricing: z.object({
      amount: z.int().nullable(),
      currency: z.string().nullable(),
      require_verified_amount: z.boolean(),
      price_list: z.array(priceView).nullable(),
    }),
    customer_email_required: z.literal(true),
    confirmation_url: z.string().nullable(),
    three_ds: z.object({ versions: z.array(z.string()) }),
    card_fields_url: z.string(),
    pay_url: z.string().nullable(),
    appearance: z.unknown().nullable(),
    links: linksView,
    receipts_sent: z.boolean().meta({
      description: 'Whether a receipt is mailed to the shopper once the payment was captured.',
    }),
  })
  .meta({ title: 'CheckoutConfiguration', note: 'The configuration of a checkout.' })
export type Configuration = z.output<typeof configView>

const integrationQuery = z.object({
  integration: z
    .string()
    .optional()
    .meta({ description: 'The name of an integration; the default one where it is left out.' }),
})

const cached = { method: 'GET', dialect: 'checkout', status: 200, cache: 'five_minutes' } as const

export const readConfig = route({
  ...cached,
  path: '/v1/checkout/config/{public_key}',
  tag: 'In the browser',
  summary: 'Read the checkout configuration',
  access: publicKeyInPath,
  cors: publicKeyCors,
  query: integrationQuery,
  reply: configView,
  refusals: ['three_ds_provider_unavailable'],
  handle: async (context: Context, { holder }) => readConfiguration(context, holder),
})

export const readMethods = route({
  ...cached,
  path: '/v1/checkout/methods/{public_key}',
  tag: 'In the browser',
  summary: 'Read the payment methods',
  access: publicKeyInPath,
  cors: publicKeyCors,
  query: integrationQuery,
  reply: z
    .object({ methods: methodsView })
    .meta({ title: 'PaymentMethodList', note: 'The payment methods of an integration.' }),
  refusals: [],
  handle: async (_context: Context) => ({ methods }),
})

export const readHostedConfig = route({
  ...cached,
  path: '/v1/checkout/handles/{handle}',
  tag: 'In the browser',
  summary: 'Read the configuration of a hosted page',
  access: handleInPath,
  cors: handleCors,
  reply: configView,
  refusals: ['three_ds_provider_unavailable'],
  admit: async (context: Context, { account }) => {
    await admitMerchant(context, account.merchant.merchant_id)
  },
  handle: async (context: Context, { holder }) => readConfiguration(context, holder),
})

/** The configuration body. Throws `three_ds_provider_unavailable` if cards of its mode could not be authenticated. */
export function readConfiguration(context: Context, publicAccount: PublicAccount): Configuration {
  const { account, integration, key_mode } = publicAccount
  const mode = modeOf({ merchant: account.merchant, integration, key_mode })
  if (!providerForNew(context, account, { mode, integration_id: integration.integration_id })) throw noProvider(mode)
  return viewConfiguration(context, publicAccount, mode)
}

/** The same of a page that begins no payment: nothing has to be usable now. */
export function viewConfiguration(
  { addresses, receipt_modes }: Context,
  { account, integration, public_key }: Omit<PublicAccount, 'key_mode'>,
  mode: Mode,
): Configuration {
  const hosted = hostedIntegration(account)
  const is_default = defaultIntegration(account) === integration
  const fields_query = is_default ? '' : `?integration=${encodeURIComponent(integration.name)}`
  return {
    public_key,
    mode,
    merchant: { name: account.merchant.name },
    integration: { name: integration.name },
    methods,
    pricing: {
      amount: integration.default_amount,
      currency: integration.default_currency,
      require_verified_amount: integration.require_verified_amount,
      price_list: integration.price_list?.map(viewPrice) ?? null,
    },
    customer_email_required: true,
    confirmation_url: confirmationUrlIn(integration, mode),
    three_ds: { versions: three_ds_versions },
    card_fields_url: `${addresses.base_url()}/card-fields/${public_key}${fields_query}`,
    pay_url: hosted && `${addresses.pay_url()}/${hosted.handle}`,
    appearance: integration.appearance ?? null,
    links: viewLinks(integration, mode),
    receipts_sent: receipt_modes.includes(mode),
  }
}
