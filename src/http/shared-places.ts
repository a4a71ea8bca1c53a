// Two routes at one method and path, one in our own words and one in the other platform's: the caller's credentials decide.

import type { IncomingMessage } from 'node:http'
import { hasForeignCredentials } from './compatible-dialect.ts'
import type { Route } from './route.ts'

export function placeOf({ method, path }: Pick<Route<never>, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** The places that several routes have. */
export function sharedPlaces(routes: readonly Pick<Route<never>, 'method' | 'path'>[]): Set<string> {
  const places = routes.map(placeOf)
  return new Set(places.filter((place, at) => places.indexOf(place) !== at))
}

/** How the framework tells them apart. A caller without credentials gets the route in our own words. */
export const byCredentials = {
  name: 'credentials',
  storage() {
    const handlers = new Map<unknown, never>()
    return {
      get: (credentials: unknown) => handlers.get(credentials) ?? null,
      set: (credentials: unknown, handler: never) => void handlers.set(credentials, handler),
    }
  },
  deriveConstraint: ({ headers }: IncomingMessage) => (hasForeignCredentials(headers) ? 'foreign' : undefined),
  mustMatchWhenDerived: false,
}
