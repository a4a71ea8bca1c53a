// What the README and the guides ask of `curl`, for a system that has none: `-s -X -H -d -u` and an address.

import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd', multiple: true },
    user: { type: 'string', short: 'u' },
  },
})

const body = values.data?.join('&')
const headers = new Headers({ accept: '*/*', 'user-agent': 'curl' })
if (body !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded')
if (values.user) headers.set('authorization', `Basic ${btoa(values.user)}`)
for (const header of values.header) {
  const [name, ...value] = header.split(':')
  headers.set(name, value.join(':').trim())
}

const method = values.request ?? (body === undefined ? 'GET' : 'POST')
for (const address of positionals) {
  const answer = await fetch(address, { method, headers, body, redirect: 'manual' })
  process.stdout.write(new Uint8Array(await answer.arrayBuffer()))
}
