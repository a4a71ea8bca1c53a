// Which bank a world has: the simulated acquirer, or the fake of a vendor.

import { type VendorName, vendor_names } from '../../vendors/vendor.ts'
import type { Chance } from '../chance.ts'

export const bank_kinds = ['simulator', ...vendor_names] as const
export type BankKind = 'simulator' | VendorName

const vendors_share = 0.3

/** Mostly the simulated acquirer, with its traits. */
export function kindOfBank(chance: Chance): BankKind {
  return chance.often(vendors_share) ? chance.pick(vendor_names) : 'simulator'
}
