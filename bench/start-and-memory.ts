// `npm start` to the first session that was made, and the service's memory while it makes many.

import { performance } from 'node:perf_hooks'
import { closedLoad, openClients } from './load.ts'
import { residentMegabytes } from './proc.ts'
import { median, type Table, whole } from './report.ts'
import { createRequest, nextKey } from './requests.ts'
import { startService, withDataFolder, withService } from './service.ts'
import { creating } from './work.ts'

export async function startAndMemory(how: { quick: boolean }): Promise<Table[]> {
  return [await starts(how), await memory(how)]
}

async function starts({ quick }: { quick: boolean }): Promise<Table> {
  const first: number[] = []
  const later: number[] = []
  for (let turn = 0; turn < (quick ? 1 : 5); turn += 1) {
    await withDataFolder(async (data_dir) => {
      first.push(await secondsToFirstSession(data_dir))
      later.push(await secondsToFirstSession(data_dir))
    })
  }
  const row = (name: string, seconds: number[], target: string) => [
    name,
    median(seconds).toFixed(2),
    Math.max(...seconds).toFixed(2),
    target,
  ]
  return {
    name: 'start',
    headings: ['`npm start` to the first 201', 'median s', 'longest s', 'target s'],
    rows: [row('first start, no data folder', first, '< 4'), row('later start', later, '< 2')],
  }
}

async function secondsToFirstSession(data_dir: string): Promise<number> {
  const start = performance.now()
  const service = await startService(data_dir, {
    command: ['npm', 'start', '--silent', '--'],
  })
  try {
    const [client] = await openClients(service.base_url, 1)
    const { status } = await client!.send(createRequest(service.secret_key, `start-${nextKey()}`))
    client!.close()
    if (status !== 201) throw new Error(`the first create answered ${status}`)
    return (performance.now() - start) / 1000
  } finally {
    await service.stop()
  }
}

async function memory({ quick }: { quick: boolean }): Promise<Table> {
  const creates = quick ? 10_000 : 100_000
  const rows = await withDataFolder((data_dir) =>
    withService(data_dir, async ({ pid, base_url, secret_key }) => {
      const clients = await openClients(base_url, 64)
      const work = creating({ secret_key })
      const rows = [['at rest', whole(residentMegabytes(pid))]]
      for (let made = 0; made < creates; made += creates / 10) {
        const { failed } = await closedLoad(clients, { count: creates / 10 }, work)
        if (failed > 0) throw new Error(`${failed} creates failed`)
        rows.push([`after ${whole(made + creates / 10)} creates`, whole(residentMegabytes(pid))])
      }
      for (const client of clients) client.close()
      return rows
    }),
  )
  const headings = ['memory of the service (resident)', 'MB']
  return { name: 'memory', headings, rows, notes: ['Target: under 250 MB, and flat.'] }
}
