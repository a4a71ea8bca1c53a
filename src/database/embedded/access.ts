// The embedded server admits only processes of its own user and of root, which the kernel identifies. A password does not help.

import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { asAccount, readFile, replaceFile } from '../../config/owner.ts'
import { ownAccount } from './account.ts'
import type { Home } from './home.ts'

/** Owns the cluster and is its superuser. It creates everything that the service's role works with. */
export const owner_role = 'ripper'
/** Owns the service's database and everything in it, and nothing else. */
export const service_role = 'ripper_service'

/** Writes the server's rules if they differ. Returns true if they did: a running server must then read them again. */
export function keepAccessRules(home: Home): boolean {
  const names = ['root', nameOfOwner(home)].filter((name) => name !== null)
  const users = [...new Set(names)].map((name) => `ripper "${name}" all\n`)
  const changed = [
    // The users are written first, so that a server never reads rules without users.
    keep(home, 'pg_ident.conf', `${heading}${users.join('')}`),
    keep(home, 'pg_hba.conf', `${heading}${rules}`),
  ]
  return changed.includes(true)
}

const heading = '# Ripper writes this file at every start.\n'
const rules = 'local all all peer map=ripper\nlocal replication all peer map=ripper\n'

function keep({ data_folder, account }: Home, name: string, text: string): boolean {
  const path = `${data_folder}/${name}`
  return asAccount(account, () => {
    if (readFile(path) === text) return false
    replaceFile(path, text)
    return true
  })
}

/** The server identifies users by name. Null for a user without a name, whom the server cannot admit. */
function nameOfOwner({ account }: Home): string | null {
  if (account.uid === ownAccount().uid) return userInfo().username
  const { status, stdout } = spawnSync('id', ['-un', String(account.uid)], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
