// From what is typed into the form of an integration to what is sent: what was not touched is not sent.

import { readAmount, typedAmount } from '../../shared/read-amount.ts'
import type { Integration, IntegrationChanges } from '../client/answers.ts'

type Typed = Record<string, string>
type PriceLine = NonNullable<Integration['price_list']>[number]
export type TypedLine = Record<'sku' | 'name' | 'price' | 'currency' | 'tax' | 'image_url', string>

/** An amount that cannot be read, or in two ways, and so not be sent. All else the service judges. */
export class Mistyped extends Error {
  /** The member of the request that it would have become. */
  readonly member: string

  constructor(member: string) {
    super(member)
    this.member = member
  }
}

export const look_names = [
  'colorPrimary',
  'colorBackground',
  'colorText',
  'colorDanger',
  'colorBorder',
  'borderRadius',
  'fontSize',
  'spacing',
  'fontFamily',
] as const

/** The members that differ from the integration before. Throws Mistyped. */
export function differenceOf(
  before: Integration | null,
  typed: Typed,
  lines: TypedLine[],
  locale: string,
): IntegrationChanges {
  const after = rulesOf(typed, lines, locale)
  const changed = Object.entries(after).filter(([member, value]) => {
    const known = before ? before[member as keyof Integration] : nothingOf(value)
    return JSON.stringify(value) !== JSON.stringify(known)
  })
  return Object.fromEntries(changed)
}

/** What a new integration has where nothing is typed. */
function nothingOf(value: unknown): unknown {
  return Array.isArray(value) ? [] : typeof value === 'boolean' ? false : null
}

function rulesOf(typed: Typed, lines: TypedLine[], locale: string): IntegrationChanges {
  const text = (member: string) => typed[member]?.trim() || null
  const currency = text('default_currency')?.toUpperCase() ?? null
  const hours = text('escalate_hours')
  return {
    name: text('name') ?? '',
    // The default one stays so until another is made the default.
    ...(typed.is_default !== undefined && { is_default: true as const }),
    is_hosted_page: typed.is_hosted_page !== undefined,
    handle: text('handle'),
    mode_setting: typed.mode_setting as Integration['mode_setting'],
    allowed_origins: wordsIn(typed.allowed_origins),
    confirmation_url: text('confirmation_url'),
    terms_url: text('terms_url'),
    support_url: text('support_url'),
    back_url: text('back_url'),
    default_amount: amountIn(text('default_amount'), currency, locale, 'default_amount'),
    default_currency: currency,
    price_list: lines.length === 0 ? null : lines.map((line, at) => lineOf(line, locale, `price_list[${at}]`)),
    require_verified_amount: typed.require_verified_amount !== undefined,
    order_reference_metadata_key: text('order_reference_metadata_key'),
    on_3ds_unavailable: typed.on_3ds_unavailable as Integration['on_3ds_unavailable'],
    review_window_seconds: Math.round(Number(typed.review_days) * 86_400),
    capture: typed.capture as Integration['capture'],
    at_deadline: typed.at_deadline as Integration['at_deadline'],
    escalate_after_seconds: hours === null ? null : Math.round(Number(hours) * 3_600),
    capture_below: amountIn(text('capture_below'), currency, locale, 'capture_below'),
    test_connections: wordsIn(typed.test_connections),
    appearance: appearanceOf(typed),
  }
}

function wordsIn(text = ''): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** In minor units. Without a currency an amount counts as one of two digits. */
function amountIn(text: string | null, currency: string | null, locale: string, member: string): number | null {
  if (text === null) return null
  const read = readAmount(text, locale, currency)
  if ('fault' in read) throw new Mistyped(member)
  return read.amount
}

export function amountText(amount: number | null, currency: string | null, locale: string): string {
  return amount === null ? '' : typedAmount(amount, currency, locale)
}

function lineOf(line: TypedLine, locale: string, member: string): PriceLine {
  const { sku, name, price, currency: code, tax, image_url } = line
  const currency = code.trim().toUpperCase()
  const unit_amount = amountIn(price, currency, locale, `${member}.unit_amount`)!
  return {
    sku: sku.trim(),
    name: name.trim(),
    unit_amount,
    currency,
    tax_rate: amountIn(tax.trim() || null, null, locale, `${member}.tax_rate`),
    image_url: image_url.trim() || null,
  }
}

/** A tax rate is in basis points, and typed as a percentage. */
export function typedLine(line: PriceLine, locale: string): TypedLine {
  const { sku, name, unit_amount, currency, tax_rate, image_url } = line
  return {
    sku,
    name,
    currency,
    price: amountText(unit_amount, currency, locale),
    tax: amountText(tax_rate, null, locale),
    image_url: image_url ?? '',
  }
}

function appearanceOf(typed: Typed): Integration['appearance'] {
  const theme = typed.theme as NonNullable<Integration['appearance']>['theme'] | ''
  const named = look_names.flatMap((look): [string, string][] => {
    const value = typed[look]?.trim() ?? ''
    return value === '' ? [] : [[look, value]]
  })
  if (!theme && named.length === 0) return null
  return {
    ...(theme && { theme }),
    ...(named.length > 0 && { variables: Object.fromEntries(named) }),
  }
}
