import { describe, expect, test } from 'vitest'
import { manualClock } from '../../tests/support/clock.ts'
import { realClock } from '../../tests/support/world.ts'
import { openEndpointUrlJudge } from './judge-endpoint-url.ts'

const allowed_networks = ['10.0.0.0/8', 'fd00::/8']

describe('a private name', () => {
  const codeOf = async (url: string, addresses: string[], networks = allowed_networks) => {
    const resolve = async () => addresses
    const judge = openEndpointUrlJudge({ clock: realClock, allowed_networks: networks, resolve })
    return (await judge(url))?.code ?? null
  }

  test.each([
    ['http://receiver:3000/', ['10.1.2.3'], null],
    ['https://receiver.internal/', ['10.1.2.3', 'fd12::1'], null],
    ['https://receiver.corp./', ['::ffff:10.1.2.3'], null],
    ['http://receiver:3000/', ['11.1.2.3'], 'blocked_address'],
    ['https://receiver.lan/', ['8.8.8.8'], 'blocked_address'],
    ['https://receiver.internal/', ['10.1.2.3', '8.8.8.8'], 'blocked_address'],
    ['http://metadata.google.internal/', ['169.254.169.254'], 'blocked_address'],
    ['https://receiver.home.arpa/', [], 'blocked_address'],
  ])('%s at %j: %s', async (url, addresses, code) => {
    expect(await codeOf(url, addresses)).toBe(code)
  })

  test('is refused where no network is allowed, wherever it leads', async () => {
    expect(await codeOf('https://receiver.internal/', ['10.1.2.3'], [])).toBe('blocked_address')
  })

  test('is refused in the same words whether it is known or not', async () => {
    const reasons = [['11.1.2.3'], []].map(async (addresses) => {
      const resolve = async () => addresses
      const judge = openEndpointUrlJudge({ clock: realClock, allowed_networks, resolve })
      return (await judge('http://receiver/'))?.reason
    })
    expect(new Set(await Promise.all(reasons)).size).toBe(1)
  })

  test('is refused where the resolver fails, or does not answer in time', async () => {
    const clock = manualClock(new Date('2026-11-21T12:00:00Z'))
    const failing = async () => {
      throw Object.assign(new Error('no'), { code: 'EAI_AGAIN' })
    }
    const silent = () => new Promise<string[]>(() => {})
    const [failed, waiting] = [failing, silent].map((resolve) =>
      openEndpointUrlJudge({ clock, allowed_networks, resolve })('https://receiver.internal/'),
    )
    expect((await failed!)?.code).toBe('blocked_address')
    await clock.advance(3_000)
    expect((await waiting!)?.code).toBe('blocked_address')
  })
})

test('no other host is looked up', async () => {
  const resolve = () => {
    throw new Error('looked up')
  }
  const judge = openEndpointUrlJudge({ clock: realClock, allowed_networks, resolve })
  expect(await judge('https://shop.example/')).toBeNull()
  expect(await judge('http://10.1.2.3/')).toBeNull()
  expect((await judge('http://localhost/'))?.code).toBe('blocked_address')
  expect((await judge('http://shop.example/'))?.code).toBe('invalid_url')
})
