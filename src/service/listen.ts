// Where the service listens, and how this process reaches itself there.

import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import type { Service } from './assemble.ts'

/** The listener of the metrics comes first, so that its faults show before any request is answered. */
export async function listenAll(
  { app, metricsApp }: Pick<Service, 'app' | 'metricsApp'>,
  { host, port, metrics_port }: Pick<Config, 'host' | 'port' | 'metrics_port'>,
): Promise<void> {
  if (metricsApp && metrics_port !== null) {
    await listen(metricsApp, { host, port: metrics_port }, settings.metrics_port.name)
  }
  await listen(app, { host, port }, settings.port.name)
}

/** The address of a listener for this machine itself. */
export function listenerAddress(app: FastifyInstance, { host }: Pick<Config, 'host'>): string {
  return internalAddress(host, (app.server.address() as AddressInfo).port)
}

/** Throws a ConfigError that names the wrong setting: `setting` is that of the port. */
async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
  setting: string,
): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => '' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new ConfigError(setting, `must be a free port: ${port} is in use.`)
    if (code === 'EACCES') throw new ConfigError(setting, 'must be a port that this user may listen on.')
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') {
      throw new ConfigError('RIPPER_HOST', 'must be an address of this machine.')
    }
    throw error
  }
}

function internalAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
