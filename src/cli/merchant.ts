// `ripper merchant create|update|list`: accounts.

import { z } from 'zod'
import { shownName } from '../merchants/change-integration.ts'
import { changeMerchant, createMerchant, merchantOrRefuse } from '../merchants/manage.ts'
import { type Merchant, readAcquiringProfile } from '../merchants/merchant.ts'
import { listMerchants } from '../merchants/store.ts'
import { type CommandContext, withCommandContext } from './command-context.ts'
import { CommandError } from './terminal/command.ts'
import { command, flag, needed, option } from './terminal/option.ts'
import { paintState, print, printJson, printList, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const nameOption = option('NAME', 'the name shoppers see', shownName)
const profileOption = option(
  'FILE.json',
  'what live payments need: {"acquirer", "three_ds", "descriptor_name", "mcc", "country"}, the first two by label',
  z.record(z.string(), z.unknown(), 'must hold a JSON object'),
)
const switched = z.enum(['true', 'false']).transform((word) => word === 'true')

export const merchantCreate = command({
  name: 'merchant create',
  summary: 'Makes a merchant account',
  options: {
    name: needed(nameOption),
    live: flag('the account is a live one'),
    'live-enabled': flag('the live toggle is on'),
    'acquiring-profile': profileOption,
  },
  async run({ options: { name, live, 'live-enabled': live_enabled, 'acquiring-profile': profile }, json }) {
    warnOfGaps(profile)
    const wish = { name, live, live_enabled, acquiring_profile: profile ?? null }
    const merchant = await withCommandContext(async (context) => {
      refuseLiveUnderShiftedClock(context, live)
      refuseSwitchAlone(wish)
      return createMerchant(context, wish)
    })
    printMerchant(merchant, json)
  },
})

export const merchantUpdate = command({
  name: 'merchant update',
  summary: 'Changes a merchant account: only the options that you give change',
  positionals: ['MERCHANT_ID'],
  options: {
    name: nameOption,
    status: option(null, 'a suspended account takes no payments', z.enum(['active', 'suspended'])),
    live: option(null, 'the account is a live one', switched),
    'live-enabled': option(null, 'the live toggle', switched),
    'acquiring-profile': profileOption,
  },
  async run({ options, positionals, json }) {
    const { name, status, live, 'live-enabled': live_enabled, 'acquiring-profile': profile } = options
    warnOfGaps(profile)
    const change = { name, status, live, live_enabled, acquiring_profile: profile }
    const merchant = await withCommandContext(async (context) => {
      refuseLiveUnderShiftedClock(context, live === true)
      if (live_enabled) {
        const before = await merchantOrRefuse(context.sql, positionals[0]!)
        refuseSwitchAlone({ live: live ?? before.live, live_enabled })
      }
      return changeMerchant(context, positionals[0]!, definedOnly(change))
    })
    printMerchant(merchant, json)
  },
})

export const merchantList = command({
  name: 'merchant list',
  summary: 'Lists the merchant accounts, oldest first',
  options: {},
  async run({ json }) {
    const merchants = await withCommandContext(({ sql }) => listMerchants(sql))
    if (json) printJson({ merchants: merchants.map(viewMerchant) })
    else {
      printList(merchants, {
        headings: ['merchant', 'name', 'status', 'live', 'live-enabled', 'created'],
        cells: ({ merchant_id, name, status, live, live_enabled, created_at }) => [
          ...[merchant_id, name, paintState(status), live ? 'yes' : 'no', live_enabled ? 'yes' : 'no'],
          shortTime(created_at),
        ],
        nothing: 'There is no merchant yet. ripper merchant create makes one, ripper serve --demo the demo merchant.',
      })
    }
  },
})

function viewMerchant({ merchant_id, name, status, live, live_enabled, acquiring_profile, created_at }: Merchant) {
  return { merchant_id, name, status, live, live_enabled, acquiring_profile, created_at }
}

/** A change without the members that were not given. */
function definedOnly<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as T
}

function warnOfGaps(profile: Record<string, unknown> | undefined): void {
  const acquiringProfile = readAcquiringProfile(profile ?? null)
  if (profile === undefined || !('missing' in acquiringProfile)) return
  terminal().stderr.write(
    `The profile is stored, but lacks a valid ${acquiringProfile.missing.join(', ')}. Until it has one, live sessions are refused.\n`,
  )
}

function refuseLiveUnderShiftedClock({ clock_is_shifted }: Pick<CommandContext, 'clock_is_shifted'>, live: boolean) {
  if (live && clock_is_shifted) {
    throw new CommandError(
      'No live merchant can be made while RIPPER_CLOCK_OFFSET_SECONDS is set, here or for the service.',
    )
  }
}

/** A switch that is on before the account is live would let the account take money in the moment in which it becomes live. */
function refuseSwitchAlone({ live, live_enabled }: { live: boolean; live_enabled: boolean }) {
  if (live_enabled && !live) {
    throw new CommandError(
      'The account is not live, and the switch is the last step: first --live true and the acquiring profile, then ripper doctor, then this.',
    )
  }
}

function printMerchant({ merchant_id, name, status, live, live_enabled }: Merchant, json: boolean): void {
  print({ merchant_id, name, status, live, live_enabled }, json)
}
