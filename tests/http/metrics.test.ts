// What the metrics cost, whatever callers ask, and where they are served.

import { METHODS, request } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'

test('metrics do not grow by what callers choose', async () => {
  const clock = manualClock()
  const metered = await startService({ clock })
  const ask = (method: string, path: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const asked = request(metered.base_url + path, { method, agent: false }, (answer) => {
      answer.resume().once('close', resolve)
    })
    asked.once('error', () => resolve())
    asked.end()
    return promise
  }
  const labels = async () => {
    await clock.advance(1_000)
    const text = await (await fetch(`${metered.base_url}/metrics`)).text()
    return [...text.matchAll(/^ripper_http_request_duration_seconds_count(\{.*\}) /gm)]
      .map(([, all]) => all!)
      .filter((all) => !all.includes('/metrics'))
      .sort()
  }
  const paths = ['/v1/checkout/sessions', '/v1/payments/pay_x', '/healthz', '/docs/1', '/nowhere/2']
  const chosen = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST', 'OPTIONS'].includes(method))
  expect(chosen.length).toBeGreaterThan(20)
  for (const method of chosen) for (const path of paths) await ask(method, path)
  expect(await labels()).toEqual([
    '{method="other",route="unknown",status="404"}',
    '{method="other",route="unknown",status="405"}',
  ])
  for (const path of ['/v1/checkout/sessions', '/healthz']) await ask('GET', path)
  expect(await labels()).toEqual([
    '{method="GET",route="/healthz",status="200"}',
    '{method="GET",route="/v1/checkout/sessions",status="401"}',
    '{method="other",route="unknown",status="404"}',
    '{method="other",route="unknown",status="405"}',
  ])
  await metered.close()
})

test('metrics are compressed once a second, however often they are read', async () => {
  const clock = manualClock()
  const metered = await startService({ clock })
  const compress = vi.spyOn(zlib, 'gzipSync')
  syncBuiltinESMExports()
  const read = async (encoding: string) => {
    const headers = { 'accept-encoding': encoding }
    const answer = await fetch(`${metered.base_url}/metrics`, { headers })
    return [answer.headers.get('content-encoding'), await answer.text()]
  }
  const [plain] = await Promise.all([read('identity'), read('gzip'), read('gzip')])
  expect(await read('br, gzip')).toEqual(['gzip', plain![1]])
  expect(compress).toHaveBeenCalledTimes(1)
  await clock.advance(1_000)
  await read('gzip')
  expect(compress).toHaveBeenCalledTimes(2)
  compress.mockRestore()
  syncBuiltinESMExports()
  await metered.close()
})

test('what is called a total is a counter, as promtool wants it', async () => {
  const metered = await startService()
  const text = await (await fetch(`${metered.base_url}/metrics`)).text()
  const totals = [...text.matchAll(/^# TYPE (\S+_total) (\w+)$/gm)].map(([, name, type]) => [name, type])
  expect(totals.length).toBeGreaterThan(5)
  expect(totals.filter(([, type]) => type !== 'counter')).toEqual([])
  await metered.close()
})

test('metrics with a listener of their own are there alone', async () => {
  const metered = await startService({ metrics_apart: true })
  const { metrics_url } = metered
  const status = async (url: string) => (await fetch(url)).status
  expect(await status(metrics_url!)).toBe(200)
  expect(await status(`${metered.base_url}/metrics`)).toBe(404)
  expect(await status(`${metered.base_url}/healthz`)).toBe(200)
  for (const path of ['/healthz', '/docs', '/v1/payments/pay_x']) {
    expect(await status(new URL(path, metrics_url!).href)).toBe(404)
  }
  await metered.close()
  await expect(fetch(metrics_url!)).rejects.toThrow()
})
