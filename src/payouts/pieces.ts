// The pieces in which the dashboard's page sends a report, since no body is as large as a file. Each person has their own, and they are
// gone within an hour.

import type { AnySql, Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'

export type Upload = { merchant_id: string; user_id: string; upload_id: string }

export const piece_bytes_max = 90_000
/** Of a report by the page; larger ones are read by the command line. */
export const pieces_max = 256
/** Of all uploads of a merchant at a time. */
const merchant_pieces_max = 4 * pieces_max
const kept_ms = 3_600_000

/** Keeps a piece; the same one sent again replaces it. Throws `invalid_request` where the merchant has too many under way. */
export async function keepPiece(
  sql: AnySql,
  { merchant_id, user_id, upload_id }: Upload,
  { piece, bytes, at }: { piece: number; bytes: Uint8Array; at: Date },
): Promise<void> {
  const rows = await sql`
    insert into payout_pieces (merchant_id, user_id, upload_id, piece, bytes, at)
    select ${merchant_id}, ${user_id}, ${upload_id}, ${piece}, ${bytes}, ${at}
    where (select count(*) from payout_pieces where merchant_id = ${merchant_id}) < ${merchant_pieces_max}
    on conflict (merchant_id, user_id, upload_id, piece) do update set bytes = excluded.bytes, at = excluded.at
    returning 1`
  if (rows.length > 0) return
  const words = 'Other reports are being sent: try again when they are read.'
  throw new Refusal('invalid_request', words, { field: 'piece', fault: 'too_many', bound: merchant_pieces_max })
}

/** The bytes of an upload, a piece at a time; it goes with the last of them. Throws `invalid_request` where one is missing. */
export async function* bytesOf(
  sql: AnySql,
  { merchant_id, user_id, upload_id }: Upload,
  pieces: number,
): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < pieces; piece++) {
    const [row] = await sql<{ bytes: Uint8Array }[]>`
      select bytes from payout_pieces
      where merchant_id = ${merchant_id} and user_id = ${user_id} and upload_id = ${upload_id} and piece = ${piece}`
    if (!row) {
      throw new Refusal('invalid_request', `The piece ${piece} is missing: send the file again.`, { field: 'pieces' })
    }
    yield row.bytes
  }
  await dropPieces(sql, { merchant_id, user_id, upload_id })
}

export async function dropPieces(sql: AnySql, { merchant_id, user_id, upload_id }: Upload): Promise<void> {
  await sql`
    delete from payout_pieces
    where merchant_id = ${merchant_id} and user_id = ${user_id} and upload_id = ${upload_id}`
}

/** Deletes what nobody has read; returns how many. */
export async function purgePieces(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`delete from payout_pieces where at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
