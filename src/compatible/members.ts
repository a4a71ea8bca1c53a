// What several objects of the other platform have: times, a charge's id, and members that Ripper has nothing for.

import { z } from 'zod'
import type { Payment } from '../payments/payment.ts'

export function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

const charge_prefix = 'ch_'

/** A payment's name in the other platform's words. */
export function chargeIdOf({ payment_id }: { payment_id: string }): string {
  return charge_prefix + payment_id.slice('pay_'.length)
}

/** The id of the payment that a charge's id names, whether or not there is one. */
export function paymentIdOf(charge_id: string): string {
  return charge_id.startsWith(charge_prefix) ? `pay_${charge_id.slice(charge_prefix.length)}` : ''
}

/** Whether a payment is a charge: money was reserved for it. */
export function isCharge({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'captured' || status === 'held' || status === 'voided'
}

/** Unmodified servers read these members, so each is null. */
export function absentMembers<Name extends string>(names: readonly Name[]): Record<Name, null> {
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>
}

/** Their schemas. */
export function nulls<Name extends string>(names: readonly Name[]): Record<Name, z.ZodNull> {
  return Object.fromEntries(names.map((name) => [name, z.null()])) as Record<Name, z.ZodNull>
}

/** Of a price, sold or offered. */
export const absentOfPrice = [
  'custom_unit_amount',
  'lookup_key',
  'nickname',
  'recurring',
  'tiers_mode',
  'transform_quantity',
] as const
