// After a rotation of the master key: rewraps the signing secrets of endpoints without opening them.

import type { Context } from '../../context.ts'
import { secretName } from '../endpoint.ts'
import { replaceSealed, type SealedSecrets, secretsUnderOtherKeys } from './endpoint-store.ts'

const batch = 500

/** Returns how many endpoints were processed. A secret that cannot be rewrapped is logged and tried again next time. */
export async function rewrapSecrets(
  context: Pick<Context, 'sql' | 'keyring' | 'world'>,
): Promise<number> {
  const { sql, keyring } = context
  let wrapped = 0
  for (let after = { merchant_id: '', endpoint_id: '' }; ; ) {
    const page = { after, limit: batch }
    const rows = await secretsUnderOtherKeys(sql, keyring.current_key_id, page)
    for (const row of rows) if (await rewrapRow(context, row)) wrapped++
    const last = rows.at(-1)
    if (!last || rows.length < batch) return wrapped
    after = last
  }
}

async function rewrapRow(
  { sql, keyring, world }: Pick<Context, 'sql' | 'keyring' | 'world'>,
  row: SealedSecrets,
): Promise<boolean> {
  const anew = (sealed: Buffer) => keyring.rewrap(sealed, secretName(row)) ?? sealed
  try {
    const { sealed_secret, previous_sealed_secret } = row
    return await replaceSealed(sql, row, {
      sealed_secret: anew(sealed_secret),
      previous_sealed_secret: previous_sealed_secret && anew(previous_sealed_secret),
    })
  } catch (error) {
    const { endpoint_id } = row
    world.log.error({ endpoint_id, error: (error as Error).message }, 'secret not wrapped anew')
    return false
  }
}
