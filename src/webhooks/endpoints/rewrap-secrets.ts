// After a rotation of the master key: rewraps the signing secrets of endpoints without opening them.

import type { Context } from '../../context.ts'
import { rewrapRows } from '../../database/rewrap-rows.ts'
import { secretName } from '../endpoint.ts'
import { replaceSealedSecrets, type SealedSecrets, secretsUnderOtherKeys } from './endpoint-store.ts'

/** Returns how many endpoints were processed. A secret that cannot be rewrapped is logged and tried again next time. */
export function rewrapSecrets({ sql, keyring, world }: Pick<Context, 'sql' | 'keyring' | 'world'>): Promise<number> {
  return rewrapRows({
    first: { merchant_id: '', endpoint_id: '' },
    page: (pageRequest) => secretsUnderOtherKeys(sql, keyring.current_key_id, pageRequest),
    rewrap(row: SealedSecrets) {
      const anew = (sealed: Buffer) => keyring.rewrap(sealed, secretName(row)) ?? sealed
      const { sealed_secret, previous_sealed_secret } = row
      return replaceSealedSecrets(sql, row, {
        sealed_secret: anew(sealed_secret),
        previous_sealed_secret: previous_sealed_secret && anew(previous_sealed_secret),
      })
    },
    failed({ endpoint_id }, { message }) {
      world.log.error({ endpoint_id, error: message }, 'secret not wrapped anew')
    },
  })
}
