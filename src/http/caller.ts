// What a request's transport says of who sent it.

import type { FastifyRequest } from 'fastify'
import type { Caller } from './access.ts'

export function callerOf(request: FastifyRequest): Caller {
  return {
    address: request.ip,
    origin: request.headers.origin ?? null,
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : null
    },
  }
}
