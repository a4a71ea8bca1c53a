// After a rotation of the master key: wraps the credentials of connections anew, without opening them.

import type { Context } from '../context.ts'
import { credentialsName, type SealedCredentials } from './connection.ts'
import { credentialsUnderOtherKeys, replaceSealedCredentials } from './connection-store.ts'

const batch = 500

type RewrapContext = Pick<Context, 'sql' | 'keyring' | 'world'>

/** Returns how many connections were dealt with. One that cannot be wrapped anew is logged, and tried again next time. */
export async function rewrapCredentials(context: RewrapContext): Promise<number> {
  const { sql, keyring } = context
  let wrapped = 0
  for (let after = { merchant_id: '', connection_id: '' }; ; ) {
    const page = { after, limit: batch }
    const rows = await credentialsUnderOtherKeys(sql, keyring.current_key_id, page)
    for (const row of rows) if (await rewrapRow(context, row)) wrapped++
    const last = rows.at(-1)
    if (!last || rows.length < batch) return wrapped
    after = last
  }
}

async function rewrapRow(
  { sql, keyring, world }: RewrapContext,
  row: SealedCredentials,
): Promise<boolean> {
  const anew = (sealed: Buffer) => keyring.rewrap(sealed, credentialsName(row)) ?? sealed
  try {
    const { sealed_credentials, previous_sealed_credentials } = row
    return await replaceSealedCredentials(sql, row, {
      sealed_credentials: anew(sealed_credentials),
      previous_sealed_credentials: previous_sealed_credentials && anew(previous_sealed_credentials),
    })
  } catch (error) {
    const fields = { connection_id: row.connection_id, error: (error as Error).message }
    world.log.error(fields, 'credentials not wrapped anew')
    return false
  }
}
