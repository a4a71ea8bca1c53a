// The rules of an integration as options of `ripper integration create|update`: their values, and which of them exclude others.

import type { z } from 'zod'
import { fieldPath } from '../../http/field-path.ts'
import { amount_max, currencyOf } from '../../kernel/values.ts'
import { rulesFault as faultIn, review_window_max, taken_paths } from '../../merchants/change-integration.ts'
import {
  appearanceRules,
  defaultRules,
  type Integration,
  type IntegrationRules,
  isOrigin,
  priceList,
} from '../../merchants/integration.ts'
import { type Links, link_names, linkFault } from '../../merchants/links.ts'
import { choice, definedOnly, jsonFile, list, nameOf, text, wholeNumber } from '../command-context.ts'
import { type OptionSpec, type Options, UsageError } from '../terminal/command.ts'

export const ruleOptions: Record<string, OptionSpec> = {
  default: { meaning: 'the one that server sessions use' },
  'replace-default': { meaning: 'replace the integration that is the default now' },
  'hosted-page': { meaning: 'the one of the hosted page; needs --handle' },
  'replace-hosted-page': { meaning: 'replace the hosted page of now, whose address ends' },
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
    meaning: 'appearance of the pages: {theme?, variables?} as for checkout.js',
  },
  'terms-url': { value: 'URL', meaning: 'address of your terms, for a link below the checkout' },
  'support-url': { value: 'URL', meaning: 'address where shoppers get help, for another link' },
  'back-url': { value: 'URL', meaning: 'the same, back to the shop' },
  'require-verified-amount': {
    meaning: 'refuse browser sessions whose amount cannot be verified',
  },
  'mode-setting': { value: 'auto|test', meaning: 'test keeps its sessions out of live mode' },
  'test-connection': {
    value: 'LABEL',
    many: true,
    meaning: 'test sessions go to this connection of mode sandbox',
  },
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
  'capture-below': { value: 'N', meaning: 'capture unverified amounts below this' },
}

/** The rules that the options set, and no others. Throws a UsageError for an invalid value. */
export function rulesNamed(options: Options): Partial<Integration> {
  const seconds = (name: string) => wholeNumber(options, name, review_window_max) ?? undefined
  const flag = (name: string) => (options[name] === true ? true : undefined)
  return definedOnly({
    name: nameOf(options) ?? undefined,
    is_default: flag('default') ?? flag('replace-default'),
    is_hosted_page: flag('hosted-page') ?? flag('replace-hosted-page'),
    handle: handleOf(options),
    allowed_origins: options.origin === undefined ? undefined : origins(options, 'origin'),
    confirmation_url: text(options, 'confirmation-url') ?? undefined,
    default_amount: amountOf(options),
    default_currency: currencyNamed(options),
    price_list: fileOf(options, 'price-list', priceList),
    appearance: fileOf(options, 'appearance', appearanceRules),
    ...linksNamed(options),
    require_verified_amount: flag('require-verified-amount'),
    mode_setting: choice(options, 'mode-setting', ['auto', 'test']) ?? undefined,
    test_connections: options['test-connection'] === undefined ? undefined : list(options, 'test-connection'),
    order_reference_metadata_key: text(options, 'order-reference-key') ?? undefined,
    on_3ds_unavailable: choice(options, 'on-3ds-unavailable', ['proceed', 'decline']) ?? undefined,
    review_window_seconds: seconds('review-window-seconds'),
    at_deadline: choice(options, 'at-deadline', ['void', 'capture']) ?? undefined,
    escalate_after_seconds: seconds('escalate-after-seconds'),
    capture_below: wholeNumber(options, 'capture-below', amount_max) ?? undefined,
  })
}

/** Says which rules of an integration contradict each other, by the options that set them; null if none do. */
export function rulesFault(rules: IntegrationRules): string | null {
  const fault = faultIn(rules)
  if (fault === null) return null
  switch (fault.field) {
    case 'handle':
      return '--hosted-page needs --handle'
    case 'default_currency':
      return '--amount needs --currency'
    default: {
      const option = (member: string) => `--${member.replaceAll('_', '-')}`
      const words = fault.words.replace('review_window_seconds', option)
      return `${option(fault.field)} ${words}`
    }
  }
}

/** The origins of an option. */
export function origins(options: Options, name: string): string[] {
  const named = list(options, name)
  if (named.every(isOrigin)) return named
  throw new UsageError(
    `--${name} must be scheme, host and port alone, such as https://shop.example; http only for localhost`,
  )
}

function linksNamed(options: Options): Partial<Links> {
  const named = link_names.flatMap((name) => {
    const option = name.replace('_', '-')
    const url = text(options, option)
    if (url === null) return []
    const fault = linkFault(url)
    if (fault) throw new UsageError(`--${option} ${fault}`)
    return [[name, url]]
  })
  return Object.fromEntries(named)
}

function handleOf(options: Options): string | undefined {
  const handle = text(options, 'handle') ?? undefined
  if (handle !== undefined && !/^[a-z0-9-]{3,64}$/.test(handle)) {
    throw new UsageError('--handle must have 3 to 64 characters of a-z, 0-9 and -')
  }
  if (handle !== undefined && taken_paths.includes(handle)) {
    throw new UsageError(`--handle must not be one of ${taken_paths.join(', ')}, which are pages of the service`)
  }
  return handle
}

function amountOf(options: Options): number | undefined {
  const amount = wholeNumber(options, 'amount') ?? undefined
  if (amount !== undefined && amount > amount_max) {
    throw new UsageError(`--amount must be at most ${amount_max}`)
  }
  return amount
}

function currencyNamed(options: Options): string | undefined {
  const code = text(options, 'currency')
  if (code === null) return undefined
  const currency = currencyOf(code)
  if (!currency) throw new UsageError('--currency must be an active ISO 4217 code')
  return currency.code
}

/** The content of a JSON file. Throws a UsageError if it breaks the rules. */
function fileOf<T>(options: Options, name: string, rules: z.ZodType<T>): T | undefined {
  const content = jsonFile(options, name)
  if (content === null) return undefined
  const parsed = rules.safeParse(content)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = fieldPath(issue!.path) || 'the file'
  throw new UsageError(`--${name}: ${where}: ${issue!.message}`)
}
