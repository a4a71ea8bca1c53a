// The fake vendors in a process of their own: it prints how to reach them, and ends with its standard input.

import { realClock } from '../src/outgoing/real-world.ts'
import { openFakeVendor, vendor_names } from '../tests/support/vendors.ts'

const opened = await Promise.all(vendor_names.map((name) => openFakeVendor(name, realClock(), 0)))
const told = opened.map(({ name, credentials }) => ({ name, credentials }))
process.stdout.write(`${JSON.stringify(told)}\n`)
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
