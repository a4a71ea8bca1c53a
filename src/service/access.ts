// How the service recognises keys and sessions.

import type { Context } from '../checkout/context.ts'
import { isClientSecret } from '../checkout/sessions/client-secret.ts'
import type { Access } from '../http/access.ts'
import type { SessionId } from '../kernel/values.ts'
import type { Directory } from '../merchants/directory.ts'

export function accessOf({ keyring, world, key_uses }: Context, directory: Directory): Access {
  return {
    findSecretKey: directory.secretKey,
    noteUse: ({ key_id }, at) => key_uses.note({ key_id, at }),
    async findSession(session_id, client_secret) {
      if (!isClientSecret(keyring, session_id, client_secret)) return null
      const merchant_id = await directory.merchantIdOfSession(session_id)
      return merchant_id && { merchant_id, session_id: session_id as SessionId }
    },
    now: () => world.clock.now(),
  }
}
