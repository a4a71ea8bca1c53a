// The words that every part of the service shares: ids, modes, brands, amounts, currencies, times.

/** The version in the interface description and in every event's envelope; it changes only when a shape changes. */
export const api_version = '2026-09-01'

export type SessionId = `cs_${string}`
export type CheckoutSessionId = `cs_${Mode}_${string}`
export type PaymentLinkId = `plink_${string}`
export type PaymentId = `pay_${string}`
export type RefundId = `ref_${string}`
export type DisputeId = `dsp_${string}`
export type PayoutId = `po_${string}`
export type AttemptId = `att_${string}`
export type CardReference = `card_${string}`
export type MerchantId = `m_${string}`
export type EndpointId = `whep_${string}`
export type ConnectionId = `conn_${string}`

export type Mode = 'test' | 'live'

/** Stands for an acquirer's name if none of the merchant's connections can be used. */
export const no_acquirer = 'none'

export const brands = ['visa', 'mastercard', 'amex'] as const
export type Brand = (typeof brands)[number]

/** The events of payments: a closed list, and what an endpoint gets by default. */
export const eventTypes = [
  'payment.captured',
  'payment.held',
  'payment.voided',
  'payment.declined',
  'payment.failed',
] as const
export type EventType = (typeof eventTypes)[number]

/** Events beyond the specification's list. Only endpoints that name them get them. */
export const extensionEventTypes = ['refund.succeeded', 'refund.failed', 'dispute.opened', 'dispute.closed'] as const
export type ExtensionEventType = (typeof extensionEventTypes)[number]

export const anyEventTypes = [...eventTypes, ...extensionEventTypes] as const
export type AnyEventType = (typeof anyEventTypes)[number]

/** In whose words an endpoint is told of events: ours, or the other platform's. */
export const eventFormats = ['ripper', 'stripe'] as const
export type EventFormat = (typeof eventFormats)[number]

/** Events that are told in the other platform's words alone, beside those that have a name in both. */
export const compatibleOnlyTypes = [
  'payment_intent.canceled',
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
] as const
export type CompatibleOnlyType = (typeof compatibleOnlyTypes)[number]

/**
 * The version in which the other platform's events are told by default. Its Go library refuses one of another release
 * than its own, by the word behind the date.
 */
export const compatible_version = '2026-08-26.dahlia'

/** One that a receiver may ask for: its library takes no events of another. */
export const compatibleVersionForm = /^\d{4}-\d\d-\d\d(\.[a-z]{1,32})?$/
export const compatible_version_words = `be a date and a name, such as ${compatible_version}`

/** All events in the other platform's words, in the order of its description. */
export const compatibleEventTypes = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.refunded',
  'checkout.session.async_payment_failed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
  'refund.failed',
] as const
export type CompatibleEventType = (typeof compatibleEventTypes)[number]

/** The name in the other platform's words of each event that has one of ours. */
export const compatibleNames: Record<AnyEventType, CompatibleEventType> = {
  'payment.captured': 'payment_intent.succeeded',
  'payment.held': 'payment_intent.amount_capturable_updated',
  'payment.voided': 'payment_intent.canceled',
  'payment.declined': 'payment_intent.payment_failed',
  'payment.failed': 'payment_intent.payment_failed',
  'refund.succeeded': 'charge.refunded',
  'refund.failed': 'refund.failed',
  'dispute.opened': 'charge.dispute.created',
  'dispute.closed': 'charge.dispute.closed',
}

/** The type of a stored event. */
export type StoredEventType = AnyEventType | CompatibleOnlyType

/** Its name in the other platform's words. */
export function compatibleNameOf(type: StoredEventType): CompatibleEventType {
  return Object.hasOwn(compatibleNames, type) ? compatibleNames[type as AnyEventType] : (type as CompatibleOnlyType)
}

/** The largest accepted amount, in minor units. */
export const amount_max = 99_999_999_999

type Currency = { code: string; numeric: string; exponent: number }

// ISO 4217, list one of 2026, active codes that have a minor unit: alphabetic code, numeric code, exponent if it is not
// 2. `Intl` is not used, because its display digits differ from ISO for HUF, IDR, IQD and others.
const table = `
AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 BHD048/3 BIF108/0
BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHE947 CHF756 CHW948
CLF990/4 CLP152/0 CNY156 COP170 COU970 CRC188 CUP192 CVE132 CZK203 DJF262/0 DKK208 DOP214 DZD012 EGP818
ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GNF324/0 GTQ320 GYD328 HKD344 HNL340
HTG332 HUF348 IDR360 ILS376 INR356 IQD368/3 IRR364 ISK352/0 JMD388 JOD400/3 JPY392/0 KES404 KGS417 KHR116
KMF174/0 KPW408 KRW410/0 KWD414/3 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 LYD434/3 MAD504 MDL498
MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979 MYR458 MZN943 NAD516 NGN566
NIO558 NOK578 NPR524 NZD554 OMR512/3 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 PYG600/0 QAR634 RON946 RSD941
RUB643 RWF646/0 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SVC222
SYP760 SZL748 THB764 TJS972 TMT934 TND788/3 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 UGX800/0 USD840 USN997
UYI940/0 UYU858 UYW927/4 UZS860 VED926 VES928 VND704/0 VUV548/0 WST882 XAD396 XAF950/0 XCD951 XCG532 XOF952/0
XPF953/0 YER886 ZAR710 ZMW967 ZWG924`

const currencies = new Map<string, Currency>(
  [...table.matchAll(/([A-Z]{3})(\d{3})(?:\/(\d))?/g)].map(([, code, numeric, exponent]) => [
    code!,
    { code: code!, numeric: numeric!, exponent: Number(exponent ?? 2) },
  ]),
)

const currenciesByNumber = new Map([...currencies.values()].map((each) => [each.numeric, each]))

/** The currency of a three-digit ISO 4217 number, or undefined. */
export function currencyOfNumeric(digits: string): Currency | undefined {
  return currenciesByNumber.get(digits)
}

/** The currency of an ISO 4217 code in any case, or undefined if the code is not active. */
export function currencyOf(code: string): Currency | undefined {
  return currencies.get(code.toUpperCase())
}

/** `4200` GBP → `42.00`, from the digits: a division would round. */
export function inMajorUnits(amount: number, currency: string): string {
  const exponent = currencyOf(currency)?.exponent ?? 2
  if (exponent === 0) return String(amount)
  const digits = String(amount).padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** Text on one line. The API's description has it, so it is written as every language reads it: some know no `\p`. */
export const noControls = /^[^\x00-\x1f\x7f-\x9f]*$/

/** Characters that control text or change its direction: with one of them, a name can look like another. */
export const unshown = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A time in the form of the wire: `2026-09-01T12:00:00.0000000+00:00`, seven fractional digits. */
export function timestamp(at: Date): string {
  return `${at.toISOString().slice(0, -1)}0000+00:00`
}

/** The same for an ISO 8601 text with an offset. It keeps seven fractional digits, while a Date has three. */
export function timestampOfText(text: string): string {
  const [fraction = '', digits = ''] = /\.(\d+)/.exec(text) ?? []
  const whole = timestamp(new Date(text.replace(fraction, '')))
  return whole.replace('0000000', digits.slice(0, 7).padEnd(7, '0'))
}

/** The same for a time that may be missing. */
export function timestampOrNull(at: Date | null): string | null {
  return at === null ? null : timestamp(at)
}
