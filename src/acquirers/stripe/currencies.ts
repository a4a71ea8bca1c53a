// Amounts as Stripe spells them. Its minor units are not always those of ISO 4217, and what its list does not hold is refused:
// a wrong row would be a factor of 100.

import { currencyOf } from '../../kernel/values.ts'

type Units = {
  exponent: number
  /** Amounts are multiples of it. */
  step: number
}

// BHD and its like have three digits, the last of which is 0; ISK has two, both 0. UGX is in none: Stripe's page lists it as
// without digits, and says elsewhere that it has two.
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

/** Eight digits are the longest that it takes in every currency. */
const amount_max = 99_999_999

/** An amount of ISO minor units in theirs; null where they cannot express it. */
export function amountSent({ amount, currency }: Money): number | null {
  const theirs = units.get(currency)
  const factor = factorOf(currency)
  if (!theirs || factor === null) return null
  const sent = amount * factor
  const fits = Number.isInteger(sent) && sent > 0 && sent <= amount_max && sent % theirs.step === 0
  return fits ? sent : null
}

/** What they name, in ISO minor units and in capitals; null where it is no amount of that currency. */
export function moneyRead({ amount, currency: spelled }: Money): Money | null {
  const currency = spelled.toUpperCase()
  const factor = factorOf(currency)
  if (factor === null) return null
  const read = amount / factor
  return Number.isInteger(read) && read >= 0 ? { amount: read, currency } : null
}

export const stripeCurrencies: readonly string[] = [...units.keys()]

type Money = { amount: number; currency: string }

/** How many of their units are one of ISO's. */
function factorOf(currency: string): number | null {
  const theirs = units.get(currency)
  const iso = currencyOf(currency)
  return theirs && iso ? 10 ** (theirs.exponent - iso.exponent) : null
}
