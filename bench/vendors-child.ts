// The fake vendors in a process of their own: it prints how to reach them, and ends with its standard input. With a folder as its
// argument, the first of them is also reached by TLS, under the key and certificate that lie there.

import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { realClock } from '../src/outgoing/real-world.ts'
import { openThreeDsecureIoFake } from '../tests/adapters/fakes/3dsecureio/server.ts'
import { openFakeVendor, vendor_names } from '../tests/support/vendors.ts'
import type { ToldVendors } from './vendors.ts'

const [folder] = process.argv.slice(2)
const clock = realClock()
const opened = await Promise.all(vendor_names.map((name) => openFakeVendor(name, clock, 0)))
const provider = await openThreeDsecureIoFake({ clock, pages_url: () => 'https://pages.example/' })
const told: ToldVendors = {
  acquirers: opened.map(({ name, credentials }) => ({ name, credentials })),
  three_ds: { api_key: provider.api_key, api_url: provider.url },
  tls_url: folder === undefined ? null : await listenByTls(folder, opened[0]!.credentials.api_url!),
}
process.stdout.write(`${JSON.stringify(told)}\n`)
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))

/** On another address of loopback, in front of what listens at `plain_url`. */
async function listenByTls(folder: string, plain_url: string): Promise<string> {
  const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(folder, name)))
  const { port, pathname } = new URL(plain_url)
  const server = createServer({ key, cert, noDelay: true }, (socket) => {
    const plain = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
    for (const end of [socket, plain]) end.on('error', () => [socket, plain].map((e) => e.destroy()))
    socket.pipe(plain).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  return `https://127.0.0.2:${(server.address() as AddressInfo).port}${pathname}`
}
