// The acts of people at the dashboard, by the records of its routes.

import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import type { Door, DoorRule } from '../../src/users/signed-in.ts'

/** Each route behind such a door that may change something, in order: `POST /keys`, without what all of them begin with. */
export function actsOf(who: Door['who'], root: string): string[] {
  const acts = dashboardRoutes.flatMap(({ method, path, access }) => {
    const { door } = access as unknown as DoorRule<unknown>
    return door.who === who && method !== 'GET' ? [`${method} ${path.replace(root, '')}`] : []
  })
  return acts.sort()
}
