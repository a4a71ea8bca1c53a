// After a rotation of the master key: rewraps the credentials of connections without opening them.

import type { Context } from '../context.ts'
import { rewrapRows } from '../database/rewrap-rows.ts'
import { credentialsName, type SealedCredentials } from './connection.ts'
import { credentialsUnderOtherKeys, replaceSealedCredentials } from './connection-store.ts'

/** Returns how many connections were processed. One that cannot be rewrapped is logged and tried again next time. */
export function rewrapCredentials({
  sql,
  keyring,
  world,
}: Pick<Context, 'sql' | 'keyring' | 'world'>): Promise<number> {
  return rewrapRows({
    first: { merchant_id: '', connection_id: '' },
    page: (asked) => credentialsUnderOtherKeys(sql, keyring.current_key_id, asked),
    rewrap(row: SealedCredentials) {
      const anew = (sealed: Buffer) => keyring.rewrap(sealed, credentialsName(row)) ?? sealed
      const { sealed_credentials, previous_sealed_credentials: previous } = row
      return replaceSealedCredentials(sql, row, {
        sealed_credentials: anew(sealed_credentials),
        previous_sealed_credentials: previous && anew(previous),
      })
    },
    failed({ connection_id }, { message }) {
      world.log.error({ connection_id, error: message }, 'credentials not wrapped anew')
    },
  })
}
