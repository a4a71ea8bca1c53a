// Before the service is read: HTTP has no methods but those that anybody asks with in a simulated world.
//
// The service refuses every other method on each of its paths, and makes the routes for that anew whenever it starts: two thirds of
// what making its routes took after each crash, for requests that nobody sends here. `npm run fuzz` does.

import { METHODS } from 'node:http'

const asked_with = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])

METHODS.splice(0, METHODS.length, ...METHODS.filter((method) => asked_with.has(method)))
