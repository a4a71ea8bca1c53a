import { beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../tests/support/clock.ts'
import { quiet } from '../../tests/support/world.ts'
import { openUnnamedProxy, type UnnamedProxy } from './unnamed-proxy.ts'

const minute_ms = 60_000
const forwarded = { 'x-forwarded-for': '203.0.113.7' }

let clock: ManualClock
let reports: object[]
let proxy: UnnamedProxy
beforeEach(() => {
  clock = manualClock()
  reports = []
  proxy = openUnnamedProxy({ clock, log: { ...quiet, warn: (fields) => reports.push(fields) } })
})

const look = (address: string | undefined, headers: Record<string, string> = forwarded, is_trusted = false) =>
  proxy.look({ headers, socket: { remoteAddress: address } } as never, is_trusted)

const host = { host: 'pay.example' }
const rfc_7239 = { forwarded: 'for=203.0.113.7' }
const [legacy, standard] = ['X-Forwarded-For', 'Forwarded']

test.each<[string, string | undefined, Record<string, string>, boolean, string | null]>([
  ['a request without such a header', '10.0.0.2', host, false, null],
  ['one with X-Forwarded-For', '10.0.0.2', forwarded, false, legacy],
  ['one with an empty X-Forwarded-For', '10.0.0.2', { 'x-forwarded-for': '' }, false, legacy],
  ['one with Forwarded', '10.0.0.2', rfc_7239, false, standard],
  ['one with both', '10.0.0.2', { ...forwarded, ...rfc_7239 }, false, legacy],
  ['one by IPv4 on a socket for both', '::ffff:10.0.0.2', forwarded, false, legacy],
  ['one whose sender has left', undefined, forwarded, false, null],
  ['one of a trusted proxy without such a header', '10.0.0.2', host, true, null],
  ['one of a trusted proxy with X-Forwarded-For', '10.0.0.2', forwarded, true, null],
  ['one of a trusted proxy with both', '10.0.0.2', { ...forwarded, ...rfc_7239 }, true, null],
  ['one of a trusted proxy with Forwarded alone', '10.0.0.2', rfc_7239, true, standard],
])('%s', (_, address, headers, is_trusted, header) => {
  look(address, headers, is_trusted)
  const peer = header && '10.0.0.2'
  expect(proxy.address()).toBe(peer)
  expect(reports).toEqual(peer ? [{ peer, setting: 'RIPPER_TRUSTED_PROXIES', header }] : [])
})

test('the log has a line an hour, and an hour without one forgets the proxy', async () => {
  for (let minute = 0; minute < 125; minute += 5) {
    look('10.0.0.2')
    await clock.advance(5 * minute_ms)
  }
  expect(reports).toHaveLength(3)
  await clock.advance(54 * minute_ms)
  expect(proxy.address()).toBe('10.0.0.2')
  await clock.advance(minute_ms)
  expect(proxy.address()).toBe(null)
})

test('whoever sends the header from outside does not hide the proxy in use', () => {
  for (let request = 0; request < 100; request += 1) {
    look('10.0.0.2')
    look('10.0.0.2')
    look(`198.51.100.${request}`)
  }
  expect(proxy.address()).toBe('10.0.0.2')
})

test('the proxy that is in use after another one has gone is named', () => {
  look('10.0.0.2')
  for (let request = 0; request < 3; request += 1) look('10.0.0.3')
  expect(proxy.address()).toBe('10.0.0.3')
})
