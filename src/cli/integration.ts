// `ripper integration create`: a place where a merchant takes payments, and its rules.

import type { z } from 'zod'
import type { HoldRules } from '../checkout/holds/hold.ts'
import { Refusal } from '../errors.ts'
import { fieldPath } from '../http/field-path.ts'
import {
  appearanceRules,
  confirmationUrlFault,
  defaultRules,
  isOrigin,
  priceList,
} from '../merchants/integration.ts'
import { createIntegration, type NewIntegration } from '../merchants/manage.ts'
import { amount_max, currencyOf } from '../values.ts'
import { type Command, CommandRefused, type Options, UsageError } from './command.ts'
import { choice, jsonFile, list, text, wholeNumber, withOffice } from './office.ts'
import { print } from './print.ts'

/** Hardly any authorisation lives as long. */
const review_window_max = 30 * 24 * 3600

export const integrationCreate: Command = {
  name: 'integration create',
  summary: 'Makes an integration of a merchant',
  options: {
    merchant: { value: 'ID', required: true, meaning: 'the merchant' },
    name: { value: 'NAME', required: true, meaning: 'unique for the merchant' },
    default: { meaning: 'the one that server sessions use' },
    'hosted-page': { meaning: 'the one of the hosted page; needs --handle' },
    handle: { value: 'HANDLE', meaning: '3 to 64 of a-z, 0-9 and -' },
    origin: {
      value: 'URL',
      many: true,
      meaning: 'an allowed origin, such as https://shop.example',
    },
    'confirmation-url': {
      value: 'URL',
      meaning: 'where shoppers go after paying; http://localhost for tests',
    },
    amount: { value: 'N', meaning: 'default amount in minor units; needs --currency' },
    currency: { value: 'CODE', meaning: 'default currency' },
    'price-list': {
      value: 'FILE.json',
      meaning: 'array of {sku, name, unit_amount, currency, tax_rate?, image_url?}',
    },
    appearance: {
      value: 'FILE.json',
      meaning: 'looks of the pages: {theme?, variables?} as for checkout.js',
    },
    'require-verified-amount': {
      meaning: 'refuse browser sessions whose amount cannot be verified',
    },
    'mode-setting': { value: 'auto|test', meaning: 'test keeps its sessions out of live mode' },
    'order-reference-key': {
      value: 'KEY',
      meaning: 'metadata key that names the order on compatible routes',
    },
    'on-3ds-unavailable': {
      value: 'proceed|decline',
      meaning: 'when a card cannot be authenticated',
    },
    'review-window-seconds': {
      value: 'N',
      meaning: `how long a held payment may wait, up to ${review_window_max} (${defaultRules.review_window_seconds})`,
    },
    'at-deadline': { value: 'void|capture', meaning: 'what becomes of a hold then' },
    'escalate-after-seconds': {
      value: 'N',
      meaning: 'when a hold is escalated; within the review window',
    },
    'capture-below': { value: 'N', meaning: 'unverified amounts below it are captured' },
  },
  async run({ options, json }) {
    const merchantId = text(options, 'merchant')!
    const asked = askedOf(options)
    const { integration, publishable_key } = await withOffice(async (office) => {
      try {
        return await createIntegration(office, merchantId, asked)
      } catch (error) {
        throw asRefusal(error, asked)
      }
    })
    const { integration_id, name, handle } = integration
    print({ integration_id, name, handle, publishable_key }, json)
  },
}

function askedOf(options: Options): NewIntegration {
  const origins = list(options, 'origin')
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong) {
    throw new UsageError(
      '--origin must be scheme, host and port alone, such as https://shop.example; http only for localhost',
    )
  }
  const asked: NewIntegration = {
    name: nameOf(options),
    is_default: options.default === true,
    is_hosted_page: options['hosted-page'] === true,
    handle: handleOf(options),
    allowed_origins: origins,
    confirmation_url: confirmationUrlOf(options, origins),
    ...amountOf(options),
    price_list: fileOf(options, 'price-list', priceList),
    appearance: fileOf(options, 'appearance', appearanceRules),
    require_verified_amount: options['require-verified-amount'] === true,
    order_reference_metadata_key: text(options, 'order-reference-key'),
    ...holdRulesOf(options),
  }
  const mode_setting = choice(options, 'mode-setting', ['auto', 'test'])
  const on_3ds_unavailable = choice(options, 'on-3ds-unavailable', ['proceed', 'decline'])
  return {
    ...asked,
    ...(mode_setting && { mode_setting }),
    ...(on_3ds_unavailable && { on_3ds_unavailable }),
  }
}

function holdRulesOf(options: Options): HoldRules {
  const at_deadline = choice(options, 'at-deadline', ['void', 'capture'])
  const review_window_seconds =
    wholeNumber(options, 'review-window-seconds', review_window_max) ??
    defaultRules.review_window_seconds
  const escalate_after_seconds = wholeNumber(options, 'escalate-after-seconds', review_window_max)
  if (escalate_after_seconds !== null && escalate_after_seconds >= review_window_seconds) {
    throw new UsageError(
      `--escalate-after-seconds must be below --review-window-seconds, which is ${review_window_seconds}`,
    )
  }
  return {
    review_window_seconds,
    at_deadline: at_deadline ?? defaultRules.at_deadline,
    escalate_after_seconds,
    capture_below: wholeNumber(options, 'capture-below', amount_max),
  }
}

/** A pay address without a path puts handles beside these. */
const taken_paths = ['docs', 'healthz', 'readyz', 'metrics']

function handleOf(options: Options): string | null {
  const handle = text(options, 'handle')
  if (handle !== null && !/^[a-z0-9-]{3,64}$/.test(handle)) {
    throw new UsageError('--handle must have 3 to 64 characters of a-z, 0-9 and -')
  }
  if (handle !== null && taken_paths.includes(handle)) {
    throw new UsageError(`--handle must be none of ${taken_paths.join(', ')}: pages of the service`)
  }
  if (handle === null && options['hosted-page'] === true) {
    throw new UsageError('--hosted-page needs --handle')
  }
  return handle
}

function confirmationUrlOf(options: Options, origins: string[]): string | null {
  const url = text(options, 'confirmation-url')
  const fault = url === null ? null : confirmationUrlFault(url, origins, { is_setting: true })
  if (fault) throw new UsageError(`--confirmation-url ${fault}`)
  return url
}

function amountOf(options: Options): Pick<NewIntegration, 'default_amount' | 'default_currency'> {
  const default_amount = wholeNumber(options, 'amount')
  if (default_amount !== null && default_amount > amount_max)
    throw new UsageError(`--amount must be at most ${amount_max}`)
  const code = text(options, 'currency')
  const currency = code === null ? null : currencyOf(code)
  if (currency === undefined) throw new UsageError('--currency must be an active ISO 4217 code')
  if (default_amount !== null && currency === null)
    throw new UsageError('--amount needs --currency')
  return { default_amount, default_currency: currency?.code ?? null }
}

/** What a JSON file has, where it keeps to the rules. */
function fileOf<T>(options: Options, name: string, rules: z.ZodType<T>): T | null {
  const content = jsonFile(options, name)
  if (content === null) return null
  const parsed = rules.safeParse(content)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = fieldPath(issue!.path) || 'the file'
  throw new UsageError(`--${name}: ${where}: ${issue!.message}`)
}

function nameOf(options: Options): string {
  const name = text(options, 'name')!
  if (name.trim() === '' || name.length > 100 || /\p{Cc}/u.test(name)) {
    throw new UsageError('--name must have 1 to 100 characters, no control characters')
  }
  return name
}

function asRefusal(error: unknown, asked: NewIntegration): unknown {
  if (error instanceof Refusal) return error
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  if (code !== '23505') return error
  return constraint_name?.includes('handle')
    ? new CommandRefused(`The handle ${asked.handle} is taken.`)
    : new CommandRefused(`The merchant has an integration named ${asked.name} already.`)
}
