// The SQL of the vault: sealed card numbers and security codes, and the progress of their 3DS Method.

import { rowValues } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import type { Attempt } from '../attempt.ts'
import type { VaultCard } from '../vault-card.ts'

type CardKey = Pick<VaultCard, 'merchant_id' | 'card_reference'>

export async function insertCard(sql: Sql, card: VaultCard, sealed_code: Buffer): Promise<void> {
  await sql`
    with card as (insert into vault.cards ${rowValues(sql, card)})
    insert into vault.security_codes (merchant_id, card_reference, sealed_code, expires_at)
    values (${card.merchant_id}, ${card.card_reference}, ${sealed_code}, ${card.expires_at})`
}

export async function findCard(sql: Sql, key: CardKey): Promise<VaultCard | undefined> {
  const [row] = await sql<VaultCard[]>`
    select * from vault.cards
    where merchant_id = ${key.merchant_id} and card_reference = ${key.card_reference}`
  return row
}

/** Notes that the 3DS Method page was opened, once, and what the page's browser accepts. */
export async function openMethod(sql: Sql, key: CardKey, at: Date, accept: string): Promise<void> {
  await sql`
    update vault.cards set method_opened_at = ${at}, accept_header = ${accept}
    where merchant_id = ${key.merchant_id} and card_reference = ${key.card_reference}
      and method_opened_at is null`
}

export async function completeMethod(sql: Sql, key: CardKey, at: Date): Promise<void> {
  await sql`
    update vault.cards set method_completed_at = ${at}
    where merchant_id = ${key.merchant_id} and card_reference = ${key.card_reference}
      and method_completed_at is null`
}

/** Deletes cards that no attempt can need any more; returns how many. */
export async function purgeCards(sql: Sql, now: Date): Promise<number> {
  await sql`delete from vault.security_codes where expires_at <= ${now}`
  const { count } = await sql`delete from vault.cards where expires_at <= ${now}`
  return count
}

export type SealedCard = CardKey & {
  mode: VaultCard['mode']
  sealed_number: Buffer
  sealed_code: Buffer | null
}

/** Cards whose number is wrapped under an old master key. The key id follows the version byte. */
export async function cardsUnderOtherKeys(sql: Sql, current_key_id: string, limit: number): Promise<SealedCard[]> {
  return sql<SealedCard[]>`
    select c.merchant_id, c.card_reference, c.mode, c.sealed_number, v.sealed_code
    from vault.cards c left join vault.security_codes v using (merchant_id, card_reference)
    where substring(c.sealed_number from 2 for 4) <> ${Buffer.from(current_key_id, 'hex')}
    limit ${limit}`
}

/** Replaces a card's sealed values; a card that changed since they were read stays as it is. */
export async function replaceSealed(
  sql: Sql,
  card: SealedCard,
  next: Pick<SealedCard, 'sealed_number' | 'sealed_code'>,
): Promise<void> {
  await sql`
    with card as (
      update vault.cards set sealed_number = ${next.sealed_number}
      where merchant_id = ${card.merchant_id} and card_reference = ${card.card_reference}
        and sealed_number = ${card.sealed_number}
    )
    update vault.security_codes set sealed_code = ${next.sealed_code}
    where merchant_id = ${card.merchant_id} and card_reference = ${card.card_reference}
      and sealed_code = ${card.sealed_code}`
}

/** CTEs, part of a statement, that delete the card of an attempt where `gate` has a row. */
export function deleteCard(sql: Sql, attempt: Pick<Attempt, 'merchant_id' | 'card_reference'>) {
  const { merchant_id, card_reference } = attempt
  return sql`
    number as (delete from vault.cards where merchant_id = ${merchant_id}
      and card_reference = ${card_reference} and exists (select 1 from gate)),
    code as (delete from vault.security_codes where merchant_id = ${merchant_id}
      and card_reference = ${card_reference} and exists (select 1 from gate))`
}
