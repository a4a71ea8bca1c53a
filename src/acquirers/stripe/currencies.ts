// Stripe's currencies and its units of them.

import { type Money, openMinorUnits, type Units } from '../minor-units.ts'

// By docs.stripe.com/currencies, read in 2026-11. Its maxima are left to Stripe: twelve digits for most cards, nine for American
// Express. BHD and similar currencies have three digits, and the last is 0. ISK has two, and both are 0. UGX is left out: Stripe's
// page lists it without digits and elsewhere says that it has two.
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

const units = openMinorUnits('Stripe', lists)

export const { currencies: stripeCurrencies, sent: amountSent, unspeakable, partRefusal } = units

/** Stripe's amount in ISO minor units, its currency in capitals; null if it is no amount of that currency. */
export function moneyRead({ amount, currency }: Money): Money | null {
  return units.read({ amount, currency: currency.toUpperCase() })
}
