// `ripper merchant create|update|list`: accounts.

import { timestamp } from '../kernel/values.ts'
import { changeMerchant, createMerchant, merchantOrRefuse } from '../merchants/manage.ts'
import { type Merchant, readAcquiringProfile } from '../merchants/merchant.ts'
import { listMerchants } from '../merchants/store.ts'
import { choice, definedOnly, jsonFile, nameOf, withCommandContext } from './command-context.ts'
import { type Command, CommandError, type OptionSpec, type Options, UsageError } from './terminal/command.ts'
import { paintState, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const profileOption: OptionSpec = {
  value: 'FILE.json',
  meaning:
    'what live payments need: {"acquirer", "three_ds", "descriptor_name", "mcc", "country"}, the first two by label',
}

export const merchantCreate: Command = {
  name: 'merchant create',
  summary: 'Makes a merchant account',
  options: {
    name: { value: 'NAME', required: true, meaning: 'the name shoppers see' },
    live: { meaning: 'the account is a live one' },
    'live-enabled': { meaning: 'the live toggle is on' },
    'acquiring-profile': profileOption,
  },
  async run({ options, json }) {
    const asked = {
      name: nameOf(options)!,
      live: options.live === true,
      live_enabled: options['live-enabled'] === true,
      acquiring_profile: profileOf(options) ?? null,
    }
    const merchant = await withCommandContext(async (context) => {
      refuseLiveUnderShiftedClock(context, asked.live)
      refuseSwitchAlone(asked)
      return createMerchant(context, asked)
    })
    printMerchant(merchant, json)
  },
}

export const merchantUpdate: Command = {
  name: 'merchant update',
  summary: 'Changes a merchant account: only the options that you give change',
  positionals: ['MERCHANT_ID'],
  options: {
    name: { value: 'NAME', meaning: 'the name shoppers see' },
    status: { value: 'active|suspended', meaning: 'a suspended account takes no payments' },
    live: { value: 'true|false', meaning: 'the account is a live one' },
    'live-enabled': { value: 'true|false', meaning: 'the live toggle' },
    'acquiring-profile': profileOption,
  },
  async run({ options, positionals, json }) {
    const change = definedOnly({
      name: nameOf(options) ?? undefined,
      status: choice(options, 'status', ['active', 'suspended']) ?? undefined,
      live: switchOf(options, 'live'),
      live_enabled: switchOf(options, 'live-enabled'),
      acquiring_profile: profileOf(options),
    })
    const merchant = await withCommandContext(async (context) => {
      refuseLiveUnderShiftedClock(context, change.live === true)
      if (change.live_enabled) {
        const { live } = await merchantOrRefuse(context.sql, positionals[0]!)
        refuseSwitchAlone({ live, ...change })
      }
      return changeMerchant(context, positionals[0]!, change)
    })
    printMerchant(merchant, json)
  },
}

export const merchantList: Command = {
  name: 'merchant list',
  summary: 'Lists the merchant accounts, oldest first',
  options: {},
  async run({ json }) {
    const found = await withCommandContext(({ sql }) => listMerchants(sql))
    if (json) printJson({ merchants: found.map(viewMerchant) })
    else if (found.length === 0) {
      printLine('There is no merchant yet. ripper merchant create makes one, ripper serve --demo the demo merchant.')
    } else {
      printTable(
        ['merchant', 'name', 'status', 'live', 'live-enabled', 'created'],
        found.map(({ merchant_id, name, status, live, live_enabled, created_at }) => [
          ...[merchant_id, name, paintState(status), live ? 'yes' : 'no', live_enabled ? 'yes' : 'no'],
          shortTime(created_at),
        ]),
      )
    }
  },
}

function viewMerchant({ created_at, ...merchant }: Merchant) {
  const { merchant_id, name, status, live, live_enabled, acquiring_profile } = merchant
  return {
    merchant_id,
    name,
    status,
    live,
    live_enabled,
    acquiring_profile,
    created_at: timestamp(created_at),
  }
}

function switchOf(options: Options, name: string): boolean | undefined {
  const word = choice(options, name, ['true', 'false'])
  return word === null ? undefined : word === 'true'
}

function profileOf(options: Options): Record<string, unknown> | undefined {
  const content = jsonFile(options, 'acquiring-profile')
  if (content === null) return undefined
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new UsageError('--acquiring-profile must hold a JSON object')
  }
  const profile = content as Record<string, unknown>
  const read = readAcquiringProfile(profile)
  if ('missing' in read) {
    terminal().stderr.write(
      `The profile is stored, but lacks a valid ${read.missing.join(', ')}. Until it has one, live sessions are refused.\n`,
    )
  }
  return profile
}

function refuseLiveUnderShiftedClock(context: { clock_is_shifted: boolean }, live: boolean): void {
  if (live && context.clock_is_shifted) {
    throw new CommandError(
      'No live merchant can be made while RIPPER_CLOCK_OFFSET_SECONDS is set, here or for the service.',
    )
  }
}

/** A switch that is on before the account is live would let the account take money in the moment in which it becomes live. */
function refuseSwitchAlone({ live, live_enabled }: { live?: boolean; live_enabled?: boolean }) {
  if (live_enabled && !live) {
    throw new CommandError(
      'The account is not live, and the switch is the last step: first --live true and the acquiring profile, then ripper doctor, then this.',
    )
  }
}

function printMerchant(merchant: Merchant, json: boolean): void {
  const { merchant_id, name, status, live, live_enabled } = merchant
  print({ merchant_id, name, status, live, live_enabled }, json)
}
