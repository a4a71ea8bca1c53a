// `ripper integration list`, and the form in which commands show an integration.

import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import type { Integration } from '../../merchants/integration.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { listIntegrations, listMerchants } from '../../merchants/store.ts'
import { everyMerchantOption, text, withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { print, printJson, printLine, printTable } from '../terminal/print.ts'

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
