// A simulated process has no routes that nobody asks for here: it makes its routes anew after each crash.

import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { routes, streams } from '../../src/routes.ts'

/** Other addresses of routes that are asked for at one, what a page reads before there is a session, and lists for people. */
const unasked =
  /^(POST|GET) \/v1\/compat\/|^GET \/v1\/(checkout\/(config|methods|sessions$)|payments$|events$)|\/handles\//

dashboardRoutes.splice(0)
streams.splice(0)
routes.splice(0, routes.length, ...routes.filter(({ method, path }) => !unasked.test(`${method} ${path}`)))
