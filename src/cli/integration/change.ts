// `ripper integration update|delete`: changes an integration's rules, or deletes it.

import { timestamp } from '../../kernel/values.ts'
import { changeIntegration, deleted } from '../../merchants/change-integration.ts'
import { defaultRules, type Integration, type IntegrationRules } from '../../merchants/integration.ts'
import { findMerchantOfIntegration } from '../../merchants/store.ts'
import { choices, withCommandContext } from '../command-context.ts'
import { type Command, CommandError, type Options, UsageError } from '../terminal/command.ts'
import { print, printJson, printLine } from '../terminal/print.ts'
import { colourWarnings, printWarnings } from './colour-warnings.ts'
import { asRefusal, printRoleTransfers, replaced, takenRoles } from './integration.ts'
import { printIntegration, viewIntegration } from './list.ts'
import { origins, ruleOptions, rulesFault, rulesNamed } from './rules.ts'

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
