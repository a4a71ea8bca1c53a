// Masks what a person may not read of shoppers: email, name and metadata.

import { Refusal } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import { type Member, permissionDenied } from '../users/member.ts'

type Customer = {
  email: string | null
  name: string | null
  account_created: string | null
  account_id: string | null
  metadata: Record<string, string> | null
}

/** `jo@example.com` → `j…@example.com` */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at === -1 ? '…' : `${firstOf(email)}${email.slice(at)}`
}

/** An email as this person may see it. */
export function shownEmail(email: string | null, mode: Mode, { can }: Pick<Member, 'can'>): string | null {
  return email === null || can('read_shoppers', mode) ? email : maskEmail(email)
}

/** A session has no metadata in its list. */
type ShopperRow = {
  mode: Mode
  customer: Customer | null
  metadata?: Record<string, string>
}

/** A payment or session, with its customer masked unless the person may read shoppers of its mode. */
export function showShopper<Row extends ShopperRow>(row: Row, member: Member): Row {
  if (member.can('read_shoppers', row.mode)) return row
  return { ...row, customer: maskCustomer(row.customer), ...(row.metadata && { metadata: {} }) }
}

/** The same for each row of a page. */
export function showShoppers<Page extends { data: ShopperRow[] }>(page: Page, member: Member): Page {
  return { ...page, data: page.data.map((row) => showShopper(row, member)) }
}

/** Whoever sees masked emails must not find out by a filter whether a guess is right. Throws `permission_denied`. */
export function refuseGuesses(
  { mode = 'live', customer_email }: { mode?: Mode; customer_email?: string },
  member: Member,
): void {
  if (customer_email === undefined || member.can('read_shoppers', mode)) return
  const words = 'customer_email is a filter for those whose role has the permission read_shoppers.'
  throw new Refusal('permission_denied', words)
}

/** For what carries live shoppers elsewhere. Throws `permission_denied`. */
export function refuseUnlessReader({ can }: Member): void {
  if (!can('read_shoppers', 'live')) throw permissionDenied('read_shoppers')
}

/** The same for a page of events: of refunds there is nothing to mask. */
export function showEvents<Page extends { data: { data: { mode: Mode } }[] }>(page: Page, member: Member): Page {
  const show = (event: Page['data'][number]) => {
    const data = event.data as Omit<ShopperRow, 'customer'> & Partial<ShopperRow>
    const { customer } = data
    return customer === undefined ? event : { ...event, data: showShopper({ ...data, customer }, member) }
  }
  return { ...page, data: page.data.map(show) }
}

function maskCustomer(customer: Customer | null): Customer | null {
  return (
    customer && {
      email: customer.email && maskEmail(customer.email),
      name: customer.name && firstOf(customer.name),
      account_created: customer.account_created,
      account_id: customer.account_id && '…',
      metadata: null,
    }
  )
}

function firstOf(text: string): string {
  return `${[...text][0]}…`
}
