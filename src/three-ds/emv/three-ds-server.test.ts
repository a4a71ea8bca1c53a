import { describe, expect, test } from 'vitest'
import { fakeWorld, identity, memoryRanges, purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import type { Http } from '../../kernel/world.ts'
import { type CardRange, ProviderUnavailable } from '../three-ds.ts'
import { openThreeDsServer } from './three-ds-server.ts'

const number = '4000009100020000'

async function open(changes: Partial<CardRange>) {
  const http: Http = {
    post: () => Promise.reject(new Error('nothing should be sent')),
  }
  const world = fakeWorld(http)
  const ranges = memoryRanges()
  const range: CardRange = {
    start: '4000009100000000',
    end: '4000009199999999',
    acs_start_version: '2.1.0',
    acs_end_version: '2.2.0',
    method_url: 'https://acs.example/method',
    ...changes,
  }
  const fetched_at = world.clock.now()
  await ranges.save('https://ds.example/', { serial_number: '1', fetched_at, ranges: [range] })
  return openThreeDsServer({
    mode: 'live',
    world,
    directory_servers: [{ scheme: 'visa', url: 'https://ds.example/' }],
    ranges,
    identity,
  })
}

const enrolled = { enrolled: true, version: '2.2.0', method_url: 'https://acs.example/method' }

describe('enrolment', () => {
  test.each([
    ['an enrolled card', {}, enrolled],
    ['no method', { method_url: null }, { ...enrolled, method_url: null }],
    ['a script for a method', { method_url: 'javascript:1' }, { ...enrolled, method_url: null }],
    ['a method over http', { method_url: 'http://acs.example/' }, { ...enrolled, method_url: null }],
    ['no common version', { acs_start_version: '2.3.1', acs_end_version: '2.3.1' }, { enrolled: false }],
  ] as [string, Partial<CardRange>, object][])('%s', async (_, changes, expected) => {
    const threeDs = await open(changes)
    expect(await threeDs.enrolment({ number, brand: 'visa' })).toEqual(expected)
  })

  test('a number in no range', async () => {
    const threeDs = await open({})
    const enrolment = await threeDs.enrolment({ number: '4111111111111111', brand: 'visa' })
    expect(enrolment).toEqual({ enrolled: false })
  })
})

test('a scheme without a Directory Server enrols nobody and authenticates nobody', async () => {
  const threeDs = await open({})
  expect(await threeDs.enrolment({ number, brand: 'amex' })).toEqual({ enrolled: false })
  const asking = threeDs.authenticate(purchase({ brand: 'amex' }))
  await expect(asking).rejects.toThrow(ProviderUnavailable)
})
