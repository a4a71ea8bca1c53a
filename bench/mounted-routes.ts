// Preloaded into the service: writes down each route that it mounts, so that the costs of routes to come are measured, too.

import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const file = process.env.MOUNTED_ROUTES

/** As the framework has it. `body_kind` and `is_other_method` are those of our own configuration. */
export type MountedRoute = {
  methods: string[]
  url: string
  body_kind: string
  is_other_method: boolean
}

if (file !== undefined) {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const { body_kind = 'none', is_other_method = false } = config ?? {}
      const mounted: MountedRoute = { methods: [method].flat(), url, body_kind, is_other_method }
      appendFileSync(file, `${JSON.stringify(mounted)}\n`)
    })
  })
}
