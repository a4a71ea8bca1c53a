// `ripper integration create`: makes a place where a merchant takes payments, with its rules.

import type { z } from 'zod'
import type { paletteOf, Theme } from '../../web/shared/palette.ts'
import { fieldPath } from '../http/field-path.ts'
import { Refusal } from '../kernel/errors.ts'
import { amount_max, currencyOf, timestamp, timestampOrNull } from '../kernel/values.ts'
import {
  changeIntegration,
  deleted,
  rulesFault as faultIn,
  review_window_max,
  taken_paths,
} from '../merchants/change-integration.ts'
import {
  appearanceRules,
  defaultRules,
  type Integration,
  type IntegrationRules,
  isOrigin,
  priceList,
} from '../merchants/integration.ts'
import { type Links, link_names, linkFault } from '../merchants/links.ts'
import { createIntegration, merchantOrRefuse, type NewIntegration } from '../merchants/manage.ts'
import {
  findMerchantOfIntegration,
  listIntegrations,
  listMerchants,
  type Role,
  type RoleTransfer,
} from '../merchants/store.ts'
import {
  type CommandContext,
  choice,
  choices,
  definedOnly,
  everyMerchantOption,
  jsonFile,
  list,
  nameOf,
  text,
  wholeNumber,
  withCommandContext,
} from './command-context.ts'
import { hostedPageUrl } from './service/connection.ts'
import { type Command, CommandError, type OptionSpec, type Options, UsageError } from './terminal/command.ts'
import { print, printJson, printLine, printTable } from './terminal/print.ts'

/**
 * The rules of an integration as options of `ripper integration create|update`: their values, and which of them
 * exclude others.
 */
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

export const integrationCreate: Command = {
  name: 'integration create',
  summary: 'Makes an integration of a merchant',
  options: {
    merchant: { value: 'ID', required: true, meaning: 'the merchant' },
    name: { value: 'NAME', required: true, meaning: 'unique for the merchant' },
    ...ruleOptions,
  },
  remarks: [
    'If the merchant has a default integration, --default needs --replace-default. --hosted-page needs --replace-hosted-page.',
  ],
  async run({ options, json }) {
    const merchant_id = text(options, 'merchant')!
    const asked = rulesNamed(options) as NewIntegration
    const fault = rulesFault({ ...defaultRules, ...asked })
    if (fault) throw new UsageError(fault)
    const take = takenRoles(options)
    const warnings = await colourWarnings(asked)
    const { integration, publishable_key, losers } = await withCommandContext(async (context) => {
      try {
        return await createIntegration(context, merchant_id, asked, { take })
      } catch (error) {
        throw await asRefusal(error, context, { ...asked, merchant_id })
      }
    })
    const { integration_id, name, handle, is_hosted_page } = integration
    const made = {
      integration_id,
      name,
      handle,
      publishable_key,
      ...(is_hosted_page && { pay_url: hostedPageUrl(handle!) }),
    }
    const told = { ...replaced(losers), ...(warnings.length > 0 && { warnings }) }
    print(json ? { ...made, ...told } : made, json)
    if (json) return
    if (is_hosted_page) printLine(hosted_page_words)
    printRoleTransfers(losers)
    printWarnings(warnings)
  },
}

const hosted_page_words =
  '\nShoppers pay at pay_url. To have them pay a session of your server there, add # and its client_secret to that address.'

/** The roles that an integration may take from others. */
export function takenRoles(options: Options): Role[] {
  const named: Role[] = []
  if (options['replace-default'] === true) named.push('is_default')
  if (options['replace-hosted-page'] === true) named.push('is_hosted_page')
  return named
}

/** The members of a change's document about integrations that lost a role; none if no integration did. */
export function replaced(losers: RoleTransfer[]) {
  if (losers.length === 0) return {}
  return {
    replaced: losers.map(({ role, integration_id, name }) => ({
      role: role === 'is_default' ? 'default' : 'hosted_page',
      integration_id,
      name,
    })),
  }
}

export function printRoleTransfers(losers: RoleTransfer[]): void {
  for (const { role, integration_id, name } of losers) {
    printLine(
      role === 'is_default'
        ? `\n${name} (${integration_id}) is no longer the default: server sessions use this one now.`
        : `\n${name} (${integration_id}) is no longer the hosted page's: its address answers 404 now.`,
    )
  }
}

/** Says in words which unique value another integration has. Returns any other error as it is. */
export async function asRefusal(
  error: unknown,
  { sql }: Pick<CommandContext, 'sql'>,
  asked: Pick<Integration, 'name' | 'merchant_id'> & { handle?: string | null },
): Promise<unknown> {
  if (error instanceof Refusal) return error
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code !== '23505') return error
  const others = await listIntegrations(sql, asked.merchant_id)
  const named = (role: Role) => {
    const holder = others.find((each) => each[role])
    return holder ? `${holder.name} (${holder.integration_id})` : 'Another integration'
  }
  switch (constraint) {
    case 'one_default_integration':
      return new CommandError(
        `${named('is_default')} is the merchant's default integration, which server sessions use. Nothing was changed. ` +
          'To make this one the default, add --replace-default.',
      )
    case 'one_hosted_page':
      return new CommandError(
        `${named('is_hosted_page')} is the integration of the merchant's hosted page. Nothing was changed. ` +
          'To make this one the hosted page, add --replace-hosted-page. The old address then answers 404.',
      )
    default:
      return constraint?.includes('handle')
        ? new CommandError(`The handle ${asked.handle} is taken.`)
        : new CommandError(`The merchant has an integration named ${asked.name} already.`)
  }
}

const built = new URL('../../dist/web/palette.mjs', import.meta.url)

/**
 * For each colour of an appearance that is too close to its background: the contrast of the two, and the colour that is shown
 * instead. Without a theme the colour is checked against both, because the hosted page then follows the device.
 */
export async function colourWarnings(rules: Partial<IntegrationRules>): Promise<string[]> {
  const appearance = rules.appearance as z.output<typeof appearanceRules> | null | undefined
  if (!appearance) return []
  const { theme, variables } = appearance
  const palette = (await import(built.href)) as { paletteOf: typeof paletteOf }
  const themes: Theme[] = theme === 'light' || theme === 'dark' ? [theme] : ['light', 'dark']
  return [...new Set(themes.flatMap((each) => palette.paletteOf(each, variables).notes))]
}

export function printWarnings(warnings: string[]): void {
  for (const words of warnings) printLine(`\nWarning: ${words}`)
}

/** `ripper integration list`, and the form in which commands show an integration. */
export const integrationList: Command = {
  name: 'integration list',
  summary: 'Lists the integrations of a merchant, or of all, oldest first',
  options: { merchant: everyMerchantOption, all: { meaning: 'the deleted ones too' } },
  remarks: ['--json shows all rules of each, including its price list.'],
  async run({ options, json }) {
    const named = text(options, 'merchant')
    const { merchant_id, found } = await withCommandContext(async ({ sql }) => {
      const merchants = named ? [await merchantOrRefuse(sql, named)] : await listMerchants(sql)
      const found: Integration[] = []
      for (const each of merchants) found.push(...(await listIntegrations(sql, each.merchant_id)))
      return { merchant_id: named, found }
    })
    const shown = found.filter(({ deleted_at }) => options.all === true || deleted_at === null)
    if (json) printJson({ merchant_id, integrations: shown.map(viewIntegration) })
    else if (shown.length === 0) {
      const whose = merchant_id === null ? 'There is' : `The merchant ${merchant_id} has`
      printLine(`${whose} no integration. ripper integration create makes one.`)
    } else if (merchant_id === null) {
      printTable(
        ['merchant', ...headings],
        shown.map((each) => [each.merchant_id, ...rowOf(each)]),
      )
    } else printTable(headings, shown.map(rowOf))
  },
}

const headings = ['integration', 'name', 'is', 'mode', 'tests go to', 'allowed origins']

function rowOf(integration: Integration): string[] {
  const { integration_id, name, mode_setting, test_connections, allowed_origins } = integration
  const tests = test_connections.join(' ') || 'simulator'
  const origins = allowed_origins.join(' ') || '–'
  return [integration_id, name, roles(integration), mode_setting, tests, origins]
}

function roles({ is_default, is_hosted_page, handle, deleted_at }: Integration): string {
  const words = [deleted_at !== null && 'deleted', is_default && 'default', is_hosted_page && `hosted page ${handle}`]
  return words.filter(Boolean).join(', ') || '–'
}

/** The whole integration as JSON. */
export function viewIntegration(integration: Integration) {
  const { merchant_id, integration_id, name, created_at, deleted_at, ...rules } = integration
  return {
    integration_id,
    merchant_id,
    name,
    ...rules,
    created_at: timestamp(created_at),
    deleted_at: timestampOrNull(deleted_at),
  }
}

/** The integration's values, for people. */
export function printIntegration(integration: Integration): void {
  const { price_list, appearance, is_default, is_hosted_page, deleted_at, ...rest } = viewIntegration(integration)
  const lines = {
    ...rest,
    is: roles(integration),
    price_list: price_list && `${price_list.length} lines`,
    appearance: appearance && JSON.stringify(appearance),
  }
  const set = Object.entries(lines).filter(([, value]) => String(value ?? '') !== '')
  print(Object.fromEntries(set), false)
}

/** The values that --clear may empty, by the options that set them. */
const clearable = {
  handle: 'handle',
  origin: 'allowed_origins',
  'confirmation-url': 'confirmation_url',
  'terms-url': 'terms_url',
  'support-url': 'support_url',
  'back-url': 'back_url',
  amount: 'default_amount',
  currency: 'default_currency',
  'price-list': 'price_list',
  appearance: 'appearance',
  'test-connection': 'test_connections',
  'order-reference-key': 'order_reference_metadata_key',
  'escalate-after-seconds': 'escalate_after_seconds',
  'capture-below': 'capture_below',
} as const satisfies Record<string, keyof IntegrationRules>

const clearable_names = Object.keys(clearable) as (keyof typeof clearable)[]

/** `ripper integration update|delete`: changes an integration's rules, or deletes it. */
export const integrationUpdate: Command = {
  name: 'integration update',
  summary: 'Changes an integration: only the options that you give change',
  positionals: ['INTEGRATION_ID'],
  options: {
    name: { value: 'NAME', meaning: 'unique for the merchant; pages use this name' },
    ...ruleOptions,
    origin: {
      value: 'URL',
      many: true,
      meaning: 'an allowed origin; these replace all present ones',
    },
    'add-origin': { value: 'URL', many: true, meaning: 'one more allowed origin' },
    'remove-origin': { value: 'URL', many: true, meaning: 'an origin that is no longer allowed' },
    'no-hosted-page': {
      meaning: 'not the one of the hosted page any more: its address answers 404',
    },
    'no-require-verified-amount': { meaning: 'hold payments of unverified amounts instead' },
    clear: { value: 'NAME,…', many: true, meaning: `empty these: ${clearable_names.join(', ')}` },
  },
  remarks: [
    'The change applies to new sessions, and from now on to open ones.',
    'If the merchant has another default integration, --default needs --replace-default. --hosted-page needs\n' +
      '--replace-hosted-page in the same way. A default integration remains the default until another one replaces it.',
  ],
  async run({ options, positionals, json }) {
    const [id] = positionals as [string]
    const change = changeAsked(options)
    const take = takenRoles(options)
    const warnings = await colourWarnings(rulesNamed(options))
    const { integration, losers } = await withCommandContext(async (context) => {
      try {
        return await changeIntegration(context, id, change, { take })
      } catch (error) {
        const merchant_id = (await findMerchantOfIntegration(context.sql, id)) ?? ''
        throw await asRefusal(error, context, { name: '', ...rulesNamed(options), merchant_id })
      }
    })
    if (json) {
      const told = { ...replaced(losers), ...(warnings.length > 0 && { warnings }) }
      printJson({ ...viewIntegration(integration), ...told })
    } else {
      printIntegration(integration)
      printRoleTransfers(losers)
      printWarnings(warnings)
    }
  },
}

export const integrationDelete: Command = {
  name: 'integration delete',
  summary: 'Deletes an integration; its sessions and payments go on',
  positionals: ['INTEGRATION_ID'],
  options: {
    'leave-no-default': {
      meaning: 'delete even the default one: server sessions are then test sessions with the usual rules',
    },
  },
  remarks: [
    'Pages and the hosted page do not find it any more (404), and create no session with it. Its open sessions end under its\n' +
      'rules. Its name and handle are free for others. The publishable key belongs to the merchant and stays: ripper key\n' +
      'revoke ends it.',
  ],
  async run({ options, positionals, json }) {
    const [id] = positionals as [string]
    const { before, integration } = await withCommandContext(async (context) => {
      let before!: Integration
      const { integration } = await changeIntegration(context, id, (found) => {
        if (found.is_default && options['leave-no-default'] !== true) throw stillDefault(found)
        before = found
        return deleted(found, context.clock.now())
      })
      return { before, integration }
    })
    const { name, handle } = before
    const deleted_at = timestamp(integration.deleted_at!)
    print({ integration_id: id, name, deleted_at }, json)
    if (json) return
    if (before.is_hosted_page) printLine(`\nThe hosted page ${handle} answers 404 now.`)
    if (before.is_default) printLine('\nThe merchant has no default integration now.')
  },
}

function stillDefault({ name, integration_id }: Integration): CommandError {
  return new CommandError(
    `${name} (${integration_id}) is the merchant's default integration, which server sessions use. Make another one the default ` +
      'first (ripper integration update OTHER_ID --replace-default), or add --leave-no-default.',
  )
}

/** The changes to an integration. Throws a UsageError for options that no integration allows. */
function changeAsked(options: Options): (before: Integration) => Integration {
  const named = rulesNamed(options)
  const cleared = choices(options, 'clear', clearable_names)
  const [added, removed] = [origins(options, 'add-origin'), origins(options, 'remove-origin')]
  const twice = cleared.find((name) => clearable[name] in named)
  if (twice) throw new UsageError(`--clear empties what --${twice} sets: give only one of the two`)
  const asked: Partial<Integration> = {
    ...named,
    ...Object.fromEntries(cleared.map((name) => [clearable[name], defaultRules[clearable[name]]])),
    ...off(options, 'hosted-page', 'is_hosted_page'),
    ...off(options, 'require-verified-amount', 'require_verified_amount'),
  }
  if (Object.keys(asked).length + added.length + removed.length === 0) {
    throw new UsageError('names nothing to change')
  }
  return (before) => {
    const after = { ...before, ...asked }
    const stranger = removed.find((origin) => !after.allowed_origins.includes(origin))
    if (stranger !== undefined) throw new CommandError(strangerWords(stranger, after))
    const kept = after.allowed_origins.filter((origin) => !removed.includes(origin))
    const integration = { ...after, allowed_origins: [...new Set([...kept, ...added])] }
    const fault = rulesFault(integration)
    if (fault) throw new CommandError(`${fault}. Nothing was changed.`)
    return integration
  }
}

/** The rules that `--no-NAME` turns off. */
function off(options: Options, name: string, column: keyof Integration): Partial<Integration> {
  if (options[`no-${name}`] !== true) return {}
  if (options[name] === true) throw new UsageError(`takes --${name} or --no-${name}`)
  return { [column]: false }
}

function strangerWords(origin: string, { name, allowed_origins }: Integration): string {
  const list = allowed_origins.length === 0 ? 'none' : allowed_origins.join(', ')
  return `${name} does not allow ${origin}; it allows ${list}. Nothing was changed.`
}
