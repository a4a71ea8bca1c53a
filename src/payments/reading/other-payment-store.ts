// The SQL that finds the other payments of an order: whoever captures, or takes another card, may take its money twice.

import type { AnySql, Fragment } from '../../database/open.ts'
import { counted_max } from './list-filters.ts'
import { hasMoneyLeft } from './owed-refunds.ts'

/** How many payments of the order are captured and have money left, of the newest; 0 without an order reference. */
export function paidPayments(sql: AnySql, payment: Fragment): Fragment {
  return sql`(
    select count(*)::int from (
      select merchant_id, payment_id, status, amount, captured_amount, refunded_amount, refund_count from payments
      where merchant_id = ${payment}.merchant_id and mode = ${payment}.mode
        and order_reference = ${payment}.order_reference
      order by created_at desc, payment_id desc limit ${counted_max}) o
    where status = 'captured' and ${hasMoneyLeft(sql, sql`o`)}
  ) as order_paid_payments`
}

/**
 * The newest other payment of the order or session in each state that took money or may yet; none of those that were given
 * back in full. `payment` is what the statement calls the payment's row. A session has one such payment at most, and an index of it.
 */
export function otherPayments(sql: AnySql, payment: Fragment): Fragment {
  const columns = sql`merchant_id, payment_id, status, amount, captured_amount, refunded_amount, refund_count, created_at`
  return sql`(
    select coalesce(json_agg(json_build_object('payment_id', payment_id, 'status', status) order by status), '[]') from (
      select distinct on (status) payment_id, status from (
        select ${columns} from payments
        where merchant_id = ${payment}.merchant_id and session_id = ${payment}.session_id
          and status in ('pending', 'captured', 'held')
        union all
        select * from (
          select ${columns} from payments
          where merchant_id = ${payment}.merchant_id and mode = ${payment}.mode
            and order_reference = ${payment}.order_reference
          order by created_at desc, payment_id desc limit ${counted_max}) of_order
      ) of_both
      where payment_id <> ${payment}.payment_id and status in ('pending', 'captured', 'held')
        and ${hasMoneyLeft(sql, sql`of_both`)}
      order by status, created_at desc, payment_id desc
    ) newest
  ) as other_payments`
}
