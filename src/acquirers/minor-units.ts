// Amounts in a vendor's units, which are not always the minor units of ISO 4217. A currency that the vendor's list lacks is
// refused, because a wrong row would be a factor of 100. No vendor's limits are here: they change, and the vendor refuses what is
// beyond them, which charges nothing.

import { currencyOf } from '../kernel/values.ts'

export type Money = { amount: number; currency: string }

export type Units = {
  exponent: number
  /** Amounts are multiples of it. */
  step: number
}

export type MinorUnits = {
  /** The codes of the list. */
  currencies: readonly string[]
  /** An amount of ISO minor units in the vendor's units; null if the vendor cannot express it. */
  sent(money: Money): number | null
  /** The vendor's amount in ISO minor units; null if it is no amount of that currency. */
  read(money: Money): Money | null
  /** In words, that the vendor cannot express it. */
  unspeakable(money: Money): string
  /** Why a part of an authorisation cannot be captured; null if the vendor can express it. */
  partRefusal(authorisation: Money, amount: number): string | null
}

/** `vendor` is its name; `lists`: codes separated by white space. */
export function openMinorUnits(vendor: string, lists: readonly [Units, string][]): MinorUnits {
  const units = new Map(
    lists.flatMap(([each, codes]) => codes.split(/\s+/).map((code): [string, Units] => [code, each])),
  )

  /** By how many powers of ten the vendor's units are smaller than ISO's. */
  function powersOf(currency: string): number | null {
    const theirs = units.get(currency)
    const iso = currencyOf(currency)
    return theirs && iso ? theirs.exponent - iso.exponent : null
  }

  function sent({ amount, currency }: Money): number | null {
    const powers = powersOf(currency)
    if (powers === null) return null
    const their_amount = scaled(amount, powers)
    const fits = Number.isSafeInteger(their_amount) && their_amount > 0
    return fits && their_amount % units.get(currency)!.step === 0 ? their_amount : null
  }

  const unspeakable = ({ amount, currency }: Money) =>
    `${vendor} cannot express ${amount} ${currency} in its minor units`

  return {
    currencies: [...units.keys()],
    sent,
    read({ amount, currency }) {
      const powers = powersOf(currency)
      if (powers === null) return null
      const iso_amount = scaled(amount, -powers)
      return Number.isSafeInteger(iso_amount) && iso_amount >= 0 ? { amount: iso_amount, currency } : null
    },
    unspeakable,
    partRefusal({ currency }, amount) {
      const money = { amount, currency }
      return sent(money) === null ? unspeakable(money) : null
    },
  }
}

/** Divides, because multiplying by a fraction would not be exact. */
function scaled(amount: number, powers: number): number {
  return powers >= 0 ? amount * 10 ** powers : amount / 10 ** -powers
}
