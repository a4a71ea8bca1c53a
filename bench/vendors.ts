// The fake vendors, in a process of their own that a benchmark starts and ends.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

type Credentials = Record<string, string>

/** How they are reached. `tls_url` is another way to the first acquirer; null where no certificate was given. */
export type ToldVendors = {
  acquirers: { name: string; credentials: Credentials }[]
  three_ds: Credentials
  tls_url: string | null
}

export type Vendors = ToldVendors & { pid: number }

/** `folder` has `key.pem` and `certificate.pem` for 127.0.0.2, or is left out. */
export async function withVendors<T>(work: (vendors: Vendors) => Promise<T>, folder?: string): Promise<T> {
  const file = fileURLToPath(new URL('vendors-child.ts', import.meta.url))
  const args = folder === undefined ? [file] : [file, folder]
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return await work({ ...(JSON.parse(line.toString()) as ToldVendors), pid: child.pid! })
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
}
