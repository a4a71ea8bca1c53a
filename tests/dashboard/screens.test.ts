// The navigation shows a screen to whoever may read all that it shows, and to nobody else: the screens' own sources say what they read.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { may, permissionsOf, roles } from '../../src/users/roles.ts'
import type { Door, DoorRule } from '../../src/users/signed-in.ts'
import { grants, screens } from '../../web/dashboard/frame/screen-names.ts'
import { modes } from '../support/both-modes.ts'

const folder = new URL('../../web/dashboard/', import.meta.url)
const doors = new Map(
  dashboardRoutes.map(({ method, path, access }) => [
    `${method} ${path.replace('/dashboard/api', '')}`,
    (access as unknown as DoorRule<unknown>).door,
  ]),
)

/** The doors of what a screen asks for as it is opened. */
function doorsOf(screen: string): Door[] {
  const place = new URL(`${screen}/`, folder)
  const text = readdirSync(place)
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(new URL(name, place), 'utf8'))
    .join()
  const names = [...text.matchAll(/(?:useAnswer|usePages)\(\s*'(GET [^']+)'/g)].map(([, name]) => name!)
  return [...new Set(names)].map((name) => doors.get(name)!)
}

describe.each(screens)('%s', (screen) => {
  test('reads something', () => {
    expect(doorsOf(screen).length).toBeGreaterThan(0)
  })

  test.each(roles)('opens for a %s where each of its reads does', (role) => {
    for (const mode of modes) {
      const passes = ({ who, permission, mode: source }: Door) => {
        if (who !== 'member') return who === 'person'
        const judged = source === 'query' ? mode : source === 'any' ? 'test' : 'live'
        return may(role, permission!, judged)
      }
      const shown = grants({ permissions: permissionsOf(role) }, screen, mode)
      expect([mode, shown]).toEqual([mode, doorsOf(screen).every(passes)])
    }
  })
})
