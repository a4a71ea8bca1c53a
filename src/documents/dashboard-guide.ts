// The table of roles in docs/dashboard.md, from the one that the doors ask, in the words that the dashboard has.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { may, roles, type StaffPermission, staffPermissions } from '../users/roles.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const begin = '<!-- roles -->\n'
const end = '<!-- end of roles -->'

/** The guide with its table as it has to be. */
export function dashboardGuide(): string {
  const text = readFileSync(`${root}docs/dashboard.md`, 'utf8')
  const [before, rest = ''] = text.split(begin)
  return `${before}${begin}\n${rolesTable()}\n${end}${rest.split(end)[1] ?? ''}`
}

function rolesTable(): string {
  const words = JSON.parse(readFileSync(`${root}web/words/dashboard/en.json`, 'utf8'))
  const cells = (permission: StaffPermission) =>
    roles.map((role) => (may(role, permission, 'live') ? '●' : may(role, permission, 'test') ? 'test' : '–'))
  const rows = [
    ['permission', ...roles.map((role) => words[`role_${role}`])],
    ['---', ...roles.map(() => ':---:')],
    ...staffPermissions.map((each) => [words[`permission_${each}`], ...cells(each)]),
  ]
  return rows.map((row) => `| ${row.join(' | ')} |\n`).join('')
}
