// Checkout.com's currencies and its units of them.

import { openMinorUnits, type Units } from '../minor-units.ts'

// By checkout.com/docs/payments/accept-payments/format-the-amount-value, as of 2025-12-17. Its maximum of nine digits is left to
// Checkout.com. BHD and similar currencies have three digits, and the last is 0. CLP has two, and both are 0.
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

const units = openMinorUnits('Checkout.com', lists)

export const { currencies: checkoutCurrencies, sent: amountSent, read: moneyRead, unspeakable, partRefusal } = units
