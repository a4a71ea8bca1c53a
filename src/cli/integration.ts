// `ripper integration create|update|delete|list`: the places where a merchant takes payments, and their rules.

import { z } from 'zod'
import type { paletteOf, Theme } from '../../web/shared/palette.ts'
import { Refusal } from '../kernel/errors.ts'
import {
  changeIntegration,
  deleted,
  integrationChange,
  origin,
  review_window_max,
  rulesFault,
} from '../merchants/change-integration.ts'
import {
  type appearanceRules,
  defaultRules,
  type Integration,
  type IntegrationRules,
} from '../merchants/integration.ts'
import { createIntegration, merchantOrRefuse, type NewIntegration } from '../merchants/manage.ts'
import {
  findMerchantOfIntegration,
  type IntegrationRole,
  listIntegrations,
  listMerchants,
  type RoleTransfer,
} from '../merchants/store.ts'
import { type CommandContext, everyMerchantOption, withCommandContext } from './command-context.ts'
import { hostedPageUrl } from './service/connection.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { command, flag, memberOptions, needed, option, type ValuesOf } from './terminal/option.ts'
import { hasNo, ofMerchants, print, printJson, printKnown, printLine, printList } from './terminal/print.ts'

const rules = memberOptions(integrationChange, {
  name: ['name', 'NAME', 'unique for the merchant; pages use this name'],
  handle: ['handle', 'HANDLE', '3 to 64 of a-z, 0-9 and -'],
  allowed_origins: ['origin', 'URL', 'an allowed origin, such as https://shop.example'],
  confirmation_url: ['confirmation-url', 'URL', 'where shoppers go after paying; http://localhost for tests'],
  default_amount: ['amount', null, 'default amount in minor units; needs --currency'],
  default_currency: ['currency', 'CODE', 'default currency'],
  price_list: ['price-list', null, 'array of {sku, name, unit_amount, currency, tax_rate?, image_url?}'],
  appearance: ['appearance', null, 'appearance of the pages: {theme?, variables?} as for checkout.js'],
  terms_url: ['terms-url', 'URL', 'address of your terms, for a link below the checkout'],
  support_url: ['support-url', 'URL', 'address where shoppers get help, for another link'],
  back_url: ['back-url', 'URL', 'the same, back to the shop'],
  require_verified_amount: ['require-verified-amount', null, 'refuse browser sessions whose amount cannot be verified'],
  mode_setting: ['mode-setting', null, 'test keeps its sessions out of live mode'],
  test_connections: ['test-connection', 'LABEL', 'test sessions go to this connection of mode sandbox'],
  order_reference_metadata_key: [
    'order-reference-key',
    'KEY',
    'metadata key that names the order on compatible routes',
  ],
  on_3ds_unavailable: ['on-3ds-unavailable', null, 'when a card cannot be authenticated'],
  review_window_seconds: [
    'review-window-seconds',
    null,
    `how long a held payment may wait, up to ${review_window_max} (${defaultRules.review_window_seconds})`,
  ],
  at_deadline: ['at-deadline', null, 'what becomes of a hold then'],
  escalate_after_seconds: ['escalate-after-seconds', null, 'when a hold is escalated; within the review window'],
  capture_below: ['capture-below', null, 'capture unverified amounts below this'],
  capture: ['capture', null, 'when money is taken: at once, or when you capture what was authorised'],
})

const { name: nameOption, ...ruleOptions } = rules.options

const roleOptions = {
  default: flag('the one that server sessions use'),
  'replace-default': flag('replace the integration that is the default now'),
  'hosted-page': flag('the one of the hosted page; needs --handle'),
  'replace-hosted-page': flag('replace the hosted page of now, whose address ends'),
}
type RoleValues = ValuesOf<typeof roleOptions>

export const integrationCreate = command({
  name: 'integration create',
  summary: 'Makes an integration of a merchant',
  options: {
    merchant: needed(option('ID', 'the merchant')),
    name: needed(nameOption!),
    ...roleOptions,
    ...ruleOptions,
  },
  remarks: [
    'If the merchant has a default integration, --default needs --replace-default. --hosted-page needs --replace-hosted-page.',
  ],
  async run({ options, json }) {
    const { merchant: merchant_id } = options
    const wish = { ...rules.bodyIn(options), ...rolesIn(options) } as NewIntegration
    const fault = faultWords({ ...defaultRules, ...wish })
    if (fault) throw new UsageError(fault)
    const warnings = await colourWarnings(wish)
    const { integration, publishable_key, losers } = await withCommandContext(async (context) => {
      try {
        return await createIntegration(context, merchant_id, wish, { take: takenRoles(options) })
      } catch (error) {
        throw await asRefusal(error, context, { ...wish, merchant_id })
      }
    })
    const { integration_id, name, handle, is_hosted_page } = integration
    const newIntegration = {
      integration_id,
      name,
      handle,
      publishable_key,
      ...(is_hosted_page && { pay_url: hostedPageUrl(handle!) }),
    }
    if (json) printJson({ ...newIntegration, ...sideEffects(losers, warnings) })
    else {
      print(newIntegration, json)
      if (is_hosted_page) {
        printLine(
          '\nShoppers pay at pay_url. To have them pay a session of your server there, add # and its client_secret to that address.',
        )
      }
      printSideEffects(losers, warnings)
    }
  },
})

/** The names of the options that `--clear` may empty, and their members. */
const clearable = new Map(rules.clearable.map((member) => [rules.nameOf(member), member as keyof IntegrationRules]))

export const integrationUpdate = command({
  name: 'integration update',
  summary: 'Changes an integration: only the options that you give change',
  positionals: ['INTEGRATION_ID'],
  options: {
    name: nameOption!,
    ...roleOptions,
    ...ruleOptions,
    origin: { ...ruleOptions.origin!, meaning: 'an allowed origin; these replace all present ones' },
    'add-origin': option('URL', 'one more allowed origin', origin.array()),
    'remove-origin': option('URL', 'an origin that is no longer allowed', origin.array()),
    'no-hosted-page': flag('not the one of the hosted page any more: its address answers 404'),
    'no-require-verified-amount': flag('hold payments of unverified amounts instead'),
    clear: option('NAME,…', `empty these: ${[...clearable.keys()].join(', ')}`, z.enum([...clearable.keys()]).array()),
  },
  remarks: [
    'The change applies to new sessions, and from now on to open ones.',
    'If the merchant has another default integration, --default needs --replace-default. --hosted-page needs\n' +
      '--replace-hosted-page in the same way. A default integration remains the default until another one replaces it.',
  ],
  async run({ options, positionals, json }) {
    const [id] = positionals as [string]
    const changes = { ...rules.bodyIn(options), ...rolesIn(options) } as Partial<Integration>
    const decide = decisionOf(changes, options)
    const warnings = await colourWarnings(changes)
    const { integration, losers } = await withCommandContext(async (context) => {
      try {
        return await changeIntegration(context, id, decide, { take: takenRoles(options) })
      } catch (error) {
        const merchant_id = (await findMerchantOfIntegration(context.sql, id)) ?? ''
        throw await asRefusal(error, context, { name: '', ...changes, merchant_id })
      }
    })
    if (json) printJson({ ...viewIntegration(integration), ...sideEffects(losers, warnings) })
    else {
      printIntegration(integration)
      printSideEffects(losers, warnings)
    }
  },
})

export const integrationDelete = command({
  name: 'integration delete',
  summary: 'Deletes an integration; its sessions and payments go on',
  positionals: ['INTEGRATION_ID'],
  options: {
    'leave-no-default': flag(
      'delete even the default one: server sessions are then test sessions with the usual rules',
    ),
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
      const { integration } = await changeIntegration(context, id, (integration) => {
        if (integration.is_default && !options['leave-no-default']) throw stillDefault(integration)
        before = integration
        return deleted(integration, context.clock.now())
      })
      return { before, integration }
    })
    print({ integration_id: id, name: before.name, deleted_at: integration.deleted_at }, json)
    if (json) return
    if (before.is_hosted_page) printLine(`\nThe hosted page ${before.handle} answers 404 now.`)
    if (before.is_default) printLine('\nThe merchant has no default integration now.')
  },
})

export const integrationList = command({
  name: 'integration list',
  summary: 'Lists the integrations of a merchant, or of all, oldest first',
  options: { merchant: everyMerchantOption, all: flag('the deleted ones too') },
  remarks: ['--json shows all rules of each, including its price list.'],
  async run({ options: { merchant = null, all }, json }) {
    const integrations = await withCommandContext(async ({ sql }) => {
      const merchants = merchant ? [await merchantOrRefuse(sql, merchant)] : await listMerchants(sql)
      const lists: Integration[][] = []
      for (const { merchant_id } of merchants) lists.push(await listIntegrations(sql, merchant_id))
      return lists.flat()
    })
    const listedIntegrations = integrations.filter(({ deleted_at }) => all || deleted_at === null)
    if (json) printJson({ merchant_id: merchant, integrations: listedIntegrations.map(viewIntegration) })
    else {
      printList(listedIntegrations, {
        ...ofMerchants(merchant, {
          headings: ['integration', 'name', 'is', 'mode', 'tests go to', 'allowed origins'],
          cells: (each: Integration) => [
            ...[each.integration_id, each.name, roleWords(each), each.mode_setting],
            ...[each.test_connections.join(' ') || 'simulator', each.allowed_origins.join(' ') || '–'],
          ],
        }),
        nothing: `${hasNo('integration', merchant)}. ripper integration create makes one.`,
      })
    }
  },
})

/** The roles that an integration gets by the options. */
function rolesIn(options: RoleValues): Partial<Integration> {
  const is_default = options.default || options['replace-default']
  const is_hosted_page = options['hosted-page'] || options['replace-hosted-page']
  return { ...(is_default && { is_default }), ...(is_hosted_page && { is_hosted_page }) }
}

/** The roles that an integration may take from others. */
function takenRoles(options: RoleValues): IntegrationRole[] {
  return [
    ...(options['replace-default'] ? ['is_default' as const] : []),
    ...(options['replace-hosted-page'] ? ['is_hosted_page' as const] : []),
  ]
}

type UpdateValues = RoleValues & {
  'add-origin'?: string[] | undefined
  'remove-origin'?: string[] | undefined
  clear?: string[] | undefined
  'no-hosted-page': boolean
  'no-require-verified-amount': boolean
}

/** How an integration changes. Throws a UsageError for options that no integration allows. */
function decisionOf(changes: Partial<Integration>, options: UpdateValues): (before: Integration) => Integration {
  const { 'add-origin': added = [], 'remove-origin': removed = [], clear = [] } = options
  const twice = clear.find((name) => clearable.get(name)! in changes)
  if (twice) throw new UsageError(`--clear empties what --${twice} sets: give only one of the two`)
  const change: Partial<Integration> = {
    ...changes,
    ...Object.fromEntries(clear.map((name) => [clearable.get(name)!, defaultRules[clearable.get(name)!]])),
    ...off(changes, options['no-hosted-page'], 'hosted-page', 'is_hosted_page'),
    ...off(changes, options['no-require-verified-amount'], 'require-verified-amount', 'require_verified_amount'),
  }
  if (Object.keys(change).length + added.length + removed.length === 0) throw new UsageError('names nothing to change')
  return (before) => {
    const after = { ...before, ...change }
    const { name, allowed_origins } = after
    const stranger = removed.find((each) => !allowed_origins.includes(each))
    if (stranger !== undefined) {
      const allowed = allowed_origins.join(', ') || 'none'
      throw new CommandError(`${name} does not allow ${stranger}; it allows ${allowed}. Nothing was changed.`)
    }
    const otherOrigins = allowed_origins.filter((each) => !removed.includes(each))
    const integration = { ...after, allowed_origins: [...new Set([...otherOrigins, ...added])] }
    const fault = faultWords(integration)
    if (fault) throw new CommandError(`${fault}. Nothing was changed.`)
    return integration
  }
}

/** The rule that `--no-NAME` turns off. */
function off(changes: Partial<Integration>, is_off: boolean, name: string, member: keyof Integration) {
  if (!is_off) return {}
  if (member in changes) throw new UsageError(`takes --${name} or --no-${name}`)
  return { [member]: false }
}

/** Which rules contradict each other, by the options that set them; null if none do. */
function faultWords(integration: IntegrationRules): string | null {
  const fault = rulesFault(integration)
  if (fault === null) return null
  if (fault.field === 'handle') return '--hosted-page needs --handle'
  if (fault.field === 'default_currency') return '--amount needs --currency'
  return `--${rules.nameOf(fault.field)} ${fault.words.replace('review_window_seconds', '--review-window-seconds')}`
}

function stillDefault({ name, integration_id }: Integration): CommandError {
  return new CommandError(
    `${name} (${integration_id}) is the merchant's default integration, which server sessions use. Make another one the default ` +
      'first (ripper integration update OTHER_ID --replace-default), or add --leave-no-default.',
  )
}

/** Says in words which unique value another integration has. Returns any other error as it is. */
async function asRefusal(
  error: unknown,
  { sql }: Pick<CommandContext, 'sql'>,
  wish: Pick<Integration, 'name' | 'merchant_id'> & { handle?: string | null },
): Promise<unknown> {
  if (error instanceof Refusal) return error
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code !== '23505') return error
  const others = await listIntegrations(sql, wish.merchant_id)
  const holderOf = (role: IntegrationRole) => {
    const holder = others.find((each) => each[role])
    return holder ? `${holder.name} (${holder.integration_id})` : 'Another integration'
  }
  switch (constraint) {
    case 'one_default_integration':
      return new CommandError(
        `${holderOf('is_default')} is the merchant's default integration, which server sessions use. Nothing was changed. ` +
          'To make this one the default, add --replace-default.',
      )
    case 'one_hosted_page':
      return new CommandError(
        `${holderOf('is_hosted_page')} is the integration of the merchant's hosted page. Nothing was changed. ` +
          'To make this one the hosted page, add --replace-hosted-page. The old address then answers 404.',
      )
    default:
      return constraint?.includes('handle')
        ? new CommandError(`The handle ${wish.handle} is taken.`)
        : new CommandError(`The merchant has an integration named ${wish.name} already.`)
  }
}

const palette = new URL('../../dist/web/palette.mjs', import.meta.url)

/**
 * For each colour of an appearance that is too close to its background: the contrast of the two, and the colour that is shown
 * instead, judged by the code that the pages use. Without a theme the colour is checked against both, because the hosted page then
 * follows the device.
 */
async function colourWarnings({ appearance }: Partial<IntegrationRules>): Promise<string[]> {
  if (!appearance) return []
  const { theme, variables } = appearance as z.output<typeof appearanceRules>
  const pages = (await import(palette.href)) as { paletteOf: typeof paletteOf }
  const themes: Theme[] = theme === 'light' || theme === 'dark' ? [theme] : ['light', 'dark']
  return [...new Set(themes.flatMap((each) => pages.paletteOf(each, variables).notes))]
}

/** The members of a change's document about integrations that lost a role, and about colours; none where there is nothing to say. */
function sideEffects(losers: RoleTransfer[], warnings: string[]) {
  const replaced = losers.map(({ role, integration_id, name }) => {
    return { role: role === 'is_default' ? 'default' : 'hosted_page', integration_id, name }
  })
  return { ...(replaced.length > 0 && { replaced }), ...(warnings.length > 0 && { warnings }) }
}

function printSideEffects(losers: RoleTransfer[], warnings: string[]): void {
  for (const { role, integration_id, name } of losers) {
    printLine(
      role === 'is_default'
        ? `\n${name} (${integration_id}) is no longer the default: server sessions use this one now.`
        : `\n${name} (${integration_id}) is no longer the hosted page's: its address answers 404 now.`,
    )
  }
  for (const words of warnings) printLine(`\nWarning: ${words}`)
}

function roleWords({ is_default, is_hosted_page, handle, deleted_at }: Integration): string {
  const words = [deleted_at !== null && 'deleted', is_default && 'default', is_hosted_page && `hosted page ${handle}`]
  return words.filter(Boolean).join(', ') || '–'
}

function viewIntegration({ merchant_id, integration_id, name, created_at, deleted_at, ...rules }: Integration) {
  return { integration_id, merchant_id, name, ...rules, created_at, deleted_at }
}

function printIntegration(integration: Integration): void {
  const { price_list, appearance, is_default, is_hosted_page, deleted_at, ...rest } = viewIntegration(integration)
  printKnown({
    ...rest,
    is: roleWords(integration),
    price_list: price_list && `${price_list.length} lines`,
    appearance: appearance && JSON.stringify(appearance),
  })
}
