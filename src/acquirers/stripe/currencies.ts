// Amounts in Stripe's units, which are not always the minor units of ISO 4217. A currency that its list lacks is refused,
// because a wrong row would be a factor of 100.

import { currencyOf } from '../../kernel/values.ts'

type Units = {
  exponent: number
  /** Amounts are multiples of it. */
  step: number
}

// BHD and similar currencies have three digits, and the last is 0. ISK has two, and both are 0. UGX is left out: Stripe's page
// lists it without digits and elsewhere says that it has two.
const lists: [Units, string][] = [
  [{ exponent: 0, step: 1 }, 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'],
  [{ exponent: 3, step: 10 }, 'BHD JOD KWD OMR TND'],
  [{ exponent: 2, step: 100 }, 'ISK'],
  [
    { exponent: 2, step: 1 },
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC
     CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR
     KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
     PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD
     UYU UZS WST XCD YER ZAR ZMW`,
  ],
]

const units = new Map(
  lists.flatMap(([each, codes]) => codes.split(/\s+/).map((code): [string, Units] => [code, each])),
)

/** Stripe accepts eight digits in every currency. */
const amount_max = 99_999_999

/** An amount of ISO minor units in Stripe's units; null if Stripe cannot express it. */
export function amountSent({ amount, currency }: Money): number | null {
  const theirs = units.get(currency)
  const factor = factorOf(currency)
  if (!theirs || factor === null) return null
  const sent = amount * factor
  const fits = Number.isInteger(sent) && sent > 0 && sent <= amount_max && sent % theirs.step === 0
  return fits ? sent : null
}

/** Stripe's amount in ISO minor units, its currency in capitals; null if it is no amount of that currency. */
export function moneyRead({ amount, currency: spelled }: Money): Money | null {
  const currency = spelled.toUpperCase()
  const factor = factorOf(currency)
  if (factor === null) return null
  const read = amount / factor
  return Number.isInteger(read) && read >= 0 ? { amount: read, currency } : null
}

export const stripeCurrencies: readonly string[] = [...units.keys()]

type Money = { amount: number; currency: string }

/** How many of Stripe's units are one of ISO's. */
function factorOf(currency: string): number | null {
  const theirs = units.get(currency)
  const iso = currencyOf(currency)
  return theirs && iso ? 10 ** (theirs.exponent - iso.exponent) : null
}
