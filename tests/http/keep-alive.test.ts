// For how long an idle connection stays open: a proxy has to be the one who closes it.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent, get } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startService } from '../support/service.ts'

/** The longest of nginx, AWS, Azure and Google. */
const balancer_ms = 600_000

test.each<[string, string[], (limit_ms: number) => boolean]>([
  ['a trusted proxy: longer than any balancer keeps it', ['127.0.0.1'], (ms) => ms > balancer_ms],
  ['anybody else: as long as shoppers leave room for', ['10.0.0.9'], (ms) => ms < 80_000],
])('of %s', async (_, trusted_proxies, fits) => {
  const sockets = new Set<Socket>()
  const keep = (message: unknown) => void sockets.add((message as { socket: Socket }).socket)
  subscribe('net.server.socket', keep)
  const service = await startService({ trusted_proxies })
  const agent = new Agent({ keepAlive: true })
  const ask = () =>
    new Promise<void>((done, failed) => {
      get(`${service.base_url}/healthz`, { agent }, (response) => {
        response.resume().once('end', done)
      }).once('error', failed)
    })
  try {
    await ask()
    await ask()
    const limits = () => [...sockets].map(({ timeout }) => timeout ?? 0)
    await expect.poll(() => limits().some((ms) => ms > 0)).toBe(true)
    await expect.poll(() => limits().filter((ms) => ms > 0 && !fits(ms))).toEqual([])
    expect(sockets.size).toBe(1)
  } finally {
    unsubscribe('net.server.socket', keep)
    agent.destroy()
    await service.close()
  }
})
