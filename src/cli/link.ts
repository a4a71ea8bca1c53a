// `ripper link create|list|show|disable`: payment links, which shoppers open and pay.

import type { z } from 'zod'
import { inCell } from '../database/cells/cells.ts'
import type { PaymentLinkId } from '../kernel/values.ts'
import { findAccount } from '../merchants/directory.ts'
import { noLink, type StandingLink } from '../payments/payment-link.ts'
import { createLink, linkCreate } from '../payments/payment-links/create-link.ts'
import { viewIn, withdrawLink } from '../payments/payment-links/link-routes.ts'
import { findLink, listLinkRows } from '../payments/payment-links/link-store.ts'
import { qrLines } from '../payments/payment-links/qr-code.ts'
import { mode as modeRule } from '../payments/views.ts'
import { type CommandContext, limitOption, merchantOf, merchantOption, withCommandContext } from './command-context.ts'
import { baseUrlOf, baseUrlOption, hostedPagesUrl } from './service/connection.ts'
import { UsageError } from './terminal/command.ts'
import { command, memberOptions, needed, type Option, option, type ValuesOf } from './terminal/option.ts'
import {
  money,
  oneLine,
  paint,
  paintState,
  printJson,
  printKnown,
  printLine,
  printList,
  within,
} from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const members = memberOptions(linkCreate, {
  amount: ['amount', 'N', 'in minor units'],
  currency: ['currency', 'CODE', 'such as GBP'],
  items: ['items', null, 'the lines of the basket, as for a session'],
  order_reference: ['order-reference', 'TEXT', 'your order'],
  description: ['description', 'TEXT', 'what is paid for; the page shows it'],
  expires_at: ['expires-at', 'TIME', 'when it ends, ISO 8601 with an offset; never by default'],
  max_payments: ['max-payments', 'N', 'how many payments it takes; any number by default'],
})

type LinkContext = CommandContext & { addresses: ReturnType<typeof addressesOf> }
const linkOptions = { merchant: merchantOption, 'base-url': baseUrlOption }

export const linkNew = command({
  name: 'link create',
  summary: 'Makes an address by which shoppers pay one amount, with its QR code',
  options: {
    merchant: merchantOption,
    ...members.options,
    amount: needed(members.options.amount!),
    currency: needed(members.options.currency!),
    mode: option(null, "of its payments; by default the merchant's own", modeRule),
    'base-url': baseUrlOption,
  },
  async run({ options, json }) {
    const addresses = addressesOf(options)
    const wish = members.bodyIn(options) as z.output<typeof linkCreate>
    const { merchant, mode } = options
    const link = await withCommandContext(async (context) => {
      const account = (await findAccount(context.sql, await merchantOf(context, merchant, json)))!
      const request = {
        account,
        key_mode: mode ? (`${mode}_only` as const) : 'any',
        wish,
        now: context.clock.now(),
      } as const
      const place = await inCell(context, account.merchant.merchant_id)
      return createLink({ ...place, addresses }, request, context, () => null)
    })
    if (json) printJson(link)
    else {
      const { id, url, status } = link
      print({ id, url, mode: link.mode, amount: money(link), status })
    }
  },
})

export const linkList = command({
  name: 'link list',
  summary: "Lists a merchant's payment links, newest first",
  options: { merchant: merchantOption, limit: limitOption, 'base-url': baseUrlOption },
  async run({ options, json }) {
    const addresses = addressesOf(options)
    const { merchant_id, shown, has_more } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, options.merchant, json)
      const { sql } = await inCell(context, merchant_id)
      const [now, limit] = [context.clock.now(), options.limit + 1]
      const none = { mode: undefined, created_from: undefined, created_before: undefined, status: undefined }
      const { rows } = await listLinkRows(sql, { merchant_id, ...none }, { behind: null, limit, now })
      const views = rows.map((link) => viewIn({ addresses }, link, now))
      return { merchant_id, ...within(options.limit, views) }
    })
    if (json) printJson({ merchant_id, payment_links: shown, has_more })
    else {
      printList(shown, {
        headings: ['link', 'amount', 'status', 'payments', 'description'],
        cells: ({ id, status, payments_count, max_payments, description, ...amount }) => [
          id,
          money(amount),
          paintState(status),
          max_payments === null ? String(payments_count) : `${payments_count} of ${max_payments}`,
          oneLine(description ?? '–', 40),
        ],
        nothing: `The merchant ${merchant_id} has no payment link.`,
        has_more,
      })
    }
  },
})

export const linkShow = linkCommand({
  name: 'link show',
  summary: 'Shows a payment link, how often it was paid, and its QR code',
  work: async ({ addresses, clock }, link) => viewIn({ addresses }, link, clock.now()),
})

export const linkDisable = linkCommand({
  name: 'link disable',
  summary: 'Withdraws a payment link for good: nobody can begin to pay by it any more',
  work: (context, link) => withdrawLink(context, { link, now: context.clock.now() }, context, () => null),
})

function linkCommand({
  work,
  ...record
}: {
  name: string
  summary: string
  work(context: LinkContext, link: StandingLink): Promise<ReturnType<typeof viewIn>>
}) {
  return command({
    ...record,
    positionals: ['LINK_ID'],
    options: linkOptions,
    async run({ options, positionals, json }) {
      const payment_link_id = positionals[0] as PaymentLinkId
      if (!/^plink_[0-9a-f]{24}$/.test(payment_link_id)) {
        throw new UsageError('LINK_ID must be plink_ and 24 hexadecimal characters')
      }
      const addresses = addressesOf(options)
      const view = await withCommandContext(async (context) => {
        const merchant_id = await merchantOf(context, options.merchant, json)
        const place = { ...(await inCell(context, merchant_id)), addresses }
        const link = await findLink(place.sql, { merchant_id, payment_link_id })
        if (!link) throw noLink()
        return work(place, link)
      })
      if (json) printJson(view)
      else {
        const { id, url, mode, amount, currency, items: _, ...more } = view
        print({ id, url, mode, amount: money({ amount, currency }), ...more })
      }
    },
  })
}

/** With the QR code, where people read it and it may be opened. */
function print(link: { url: string; status: string } & Record<string, unknown>): void {
  printKnown(link)
  const { stdout } = terminal()
  if (link.status !== 'active' || !stdout.isTTY) return
  // Its own colours, so that what is light is light on every terminal.
  for (const line of qrLines(link.url)) printLine(paint(['whiteBright', 'bgBlack'], line))
}

/** Where the service's pages are, as its settings here or its last start say. */
function addressesOf(options: ValuesOf<{ 'base-url': Option<string | undefined> }>) {
  const pay_url = hostedPagesUrl()
  const base_url = baseUrlOf(options)
  return { base_url: () => base_url, pay_url: () => pay_url }
}
