// `ripper integration create`: makes a place where a merchant takes payments, with its rules.

import { Refusal } from '../../kernel/errors.ts'
import { defaultRules, type Integration } from '../../merchants/integration.ts'
import { createIntegration, type NewIntegration } from '../../merchants/manage.ts'
import { type IntegrationRole, listIntegrations, type RoleTransfer } from '../../merchants/store.ts'
import { type CommandContext, text, withCommandContext } from '../command-context.ts'
import { hostedPageUrl } from '../service/connection.ts'
import { type Command, CommandError, type Options, UsageError } from '../terminal/command.ts'
import { print, printLine } from '../terminal/print.ts'
import { colourWarnings, printWarnings } from './colour-warnings.ts'
import { ruleOptions, rulesFault, rulesNamed } from './rules.ts'

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
export function takenRoles(options: Options): IntegrationRole[] {
  const named: IntegrationRole[] = []
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
  const named = (role: IntegrationRole) => {
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
