// Amounts in Adyen's units, which are not always the minor units of ISO 4217. A currency that Adyen's list lacks is refused,
// because a wrong row would be a factor of 100.

import { currencyOf } from '../../kernel/values.ts'

const lists: [exponent: number, codes: string][] = [
  [0, 'CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [
    2,
    `AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CUP CZK
     DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD
     KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP
     PKR PLN QAR RON RSD SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS
     WST XCD YER ZAR ZMW`,
  ],
]

const exponents = new Map(
  lists.flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, exponent]),
  ),
)

export const adyenCurrencies: readonly string[] = [...exponents.keys()]

type Money = { amount: number; currency: string }

/** An amount of ISO minor units in Adyen's units; null if Adyen cannot express it. */
export function amountSent({
  amount,
  currency,
}: Money): { value: number; currency: string } | null {
  const factor = factorOf(currency)
  if (factor === null) return null
  const value = scaled(amount, factor)
  return Number.isSafeInteger(value) && value > 0 ? { value, currency } : null
}

/** Adyen's amount in ISO minor units; null if it is no amount of that currency. */
export function moneyRead({ value, currency }: { value: number; currency: string }): Money | null {
  const factor = factorOf(currency)
  if (factor === null) return null
  const amount = scaled(value, -factor)
  return Number.isSafeInteger(amount) && amount >= 0 ? { amount, currency } : null
}

/** By how many powers of ten Adyen's units are smaller than ISO's. */
function factorOf(currency: string): number | null {
  const theirs = exponents.get(currency)
  const iso = currencyOf(currency)
  return theirs !== undefined && iso ? theirs - iso.exponent : null
}

/** Divides, because multiplying by a fraction would not be exact. */
function scaled(amount: number, powers: number): number {
  return powers >= 0 ? amount * 10 ** powers : amount / 10 ** -powers
}
