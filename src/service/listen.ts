// Where the service listens, and how this process reaches itself there.

import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from '../config/config.ts'

/** Throws a ConfigError that says which setting is wrong. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => '' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new ConfigError('RIPPER_PORT', `must be a free port: ${port} is in use.`)
    if (code === 'EACCES')
      throw new ConfigError('RIPPER_PORT', 'must be a port that this user may listen on.')
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') {
      throw new ConfigError('RIPPER_HOST', 'must be an address of this machine.')
    }
    throw error
  }
}

export function internalAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
