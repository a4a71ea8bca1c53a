// Amounts in Checkout.com's units, which are not always the minor units of ISO 4217. A currency that its list lacks is refused,
// because a wrong row would be a factor of 100.

import { currencyOf } from '../../kernel/values.ts'

type Units = {
  exponent: number
  /** Amounts are multiples of it. */
  step: number
}

// BHD and similar currencies have three digits, and the last is 0. CLP has two, and both are 0.
const lists: [Units, string][] = [
  [{ exponent: 0, step: 1 }, 'BIF DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [{ exponent: 3, step: 10 }, 'BHD JOD KWD LYD OMR TND'],
  [{ exponent: 2, step: 100 }, 'CLP'],
  [
    { exponent: 2, step: 1 },
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC
     CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
     JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD
     NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SOS SRD STN SVC SYP
     SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD YER ZAR ZMW`,
  ],
]

const units = new Map(
  lists.flatMap(([each, codes]) => codes.split(/\s+/).map((code): [string, Units] => [code, each])),
)

/** Checkout.com accepts at most nine digits. */
const amount_max = 999_999_999

/** An amount of ISO minor units in Checkout.com's units; null if it cannot be expressed. */
export function amountSent({ amount, currency }: Money): number | null {
  const theirs = units.get(currency)
  const factor = factorOf(currency)
  if (!theirs || factor === null) return null
  const sent = amount * factor
  const fits = Number.isInteger(sent) && sent > 0 && sent <= amount_max && sent % theirs.step === 0
  return fits ? sent : null
}

/** Checkout.com's amount in ISO minor units; null if it is no amount of that currency. */
export function moneyRead({ amount, currency }: Money): Money | null {
  const factor = factorOf(currency)
  if (factor === null) return null
  const read = amount / factor
  return Number.isInteger(read) && read >= 0 ? { amount: read, currency } : null
}

export const checkoutCurrencies: readonly string[] = [...units.keys()]

type Money = { amount: number; currency: string }

/** How many of Checkout.com's units are one of ISO's. */
function factorOf(currency: string): number | null {
  const theirs = units.get(currency)
  const iso = currencyOf(currency)
  return theirs && iso ? 10 ** (theirs.exponent - iso.exponent) : null
}
