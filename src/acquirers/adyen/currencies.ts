// Adyen's currencies and its units of them, by docs.adyen.com/development-resources/currency-codes, read in 2026-11. An amount and its
// currency go together there.

import { type Money, openMinorUnits } from '../minor-units.ts'

const units = openMinorUnits('Adyen', [
  [{ exponent: 0, step: 1 }, 'CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [{ exponent: 3, step: 1 }, 'BHD IQD JOD KWD LYD OMR TND'],
  [
    { exponent: 2, step: 1 },
    `AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CUP CZK
     DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD
     KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP
     PKR PLN QAR RON RSD SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS
     WST XCD YER ZAR ZMW`,
  ],
])

type TheirMoney = { value: number; currency: string }

export const { currencies: adyenCurrencies, unspeakable, partRefusal } = units

/** An amount of ISO minor units in Adyen's units; null if Adyen cannot express it. */
export function amountSent({ amount, currency }: Money): TheirMoney | null {
  const value = units.sent({ amount, currency })
  return value === null ? null : { value, currency }
}

/** Adyen's amount in ISO minor units; null if it is no amount of that currency. */
export function moneyRead({ value, currency }: TheirMoney): Money | null {
  return units.read({ amount: value, currency })
}
