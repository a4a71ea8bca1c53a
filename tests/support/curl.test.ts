// The stand-in for `curl` sends what `curl` does, for each way in which the README and the guides call it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { curlStandIn, hasCurl, shell } from './programs.ts'

/** Answers with what it was asked. */
const server = createServer(async (request, response) => {
  const { method, url, headers } = request
  const { authorization, 'content-type': content_type, 'x-key': key } = headers
  const body = await text(request)
  response.end(JSON.stringify({ method, url, authorization, content_type, key, body }))
})

let address: string
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const calls: [string, object][] = [
  [`/a?b=c -H 'X-Key: k: 1'`, { method: 'GET', url: '/a?b=c', key: 'k: 1', body: '' }],
  [`-X POST / -H "X-Key: k"`, { method: 'POST', url: '/', key: 'k', body: '' }],
  [
    `/ -H 'Content-Type: ${json}' -d '{"name": "Zoë",\n "of": 1}'`,
    { method: 'POST', url: '/', content_type: json, body: '{"name": "Zoë",\n "of": 1}' },
  ],
  [
    `/ -u 'key:' -d amount=1 -d 'metadata[a]=2'`,
    { method: 'POST', url: '/', content_type: form, body: 'amount=1&metadata[a]=2', authorization: 'Basic a2V5Og==' },
  ],
]

describe.each([['the stand-in', curlStandIn], ...(hasCurl ? [['curl', '']] : [])])('%s', (_, prelude) => {
  test.each(calls)('%s', async (call, said) => {
    const asked = call.replace(/(?<=^| )\//, `${address}/`)
    const { status, stdout, stderr } = await shell(`${prelude}curl -s ${asked}`)
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(said)
  })
})
