// The whole checkout over HTTP: create, card reference, authenticate, confirm, each a request of its own.
// Measured as fast as it goes and at fixed rates; afterwards the books of all sides must agree.

import { compareBooks } from './books.ts'
import { closedLoad, type Load, openClients, openLoad } from './load.ts'
import { percentile, type Table, whole } from './report.ts'
import { withDataFolder, withService } from './service.ts'
import { openTill } from './work.ts'

const clients_closed = 32
const clients_max = 256
const rates = [50, 100, 200, 300, 400]

export async function checkout({ quick }: { quick: boolean }): Promise<Table[]> {
  const seconds = quick ? 2 : 15
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const till = openTill(service)
      const { pay } = till
      const clients = await openClients(service.base_url, clients_closed)
      // The first time warms the service up.
      await closedLoad(clients, { seconds }, pay)
      const most = await closedLoad(clients, { seconds }, pay)
      for (const client of clients) client.close()
      const rows = [rowOf(`as fast as it goes, ${clients_closed} at once`, most)]
      for (const per_second of quick ? [100, 300] : rates) {
        const offered = { per_second, seconds, clients_max }
        const load = await openLoad(service.base_url, offered, pay)
        rows.push(rowOf(`${per_second} arrive a second`, load))
      }
      const books = { name: 'books', ...(await compareBooks(data_dir, service, till.captured)) }
      const notes = [
        `Each row ${seconds} s. At a fixed rate the time counts from when a checkout should have begun. Target: 300 a second on two cores with p99 under 50 ms.`,
      ]
      return [{ name: 'checkout', headings, rows, notes }, books]
    }),
  )
}

const headings = ['whole checkouts', 'paid /s', 'p50 ms', 'p99 ms', 'longest ms', 'failed']

function rowOf(name: string, { done, seconds, latencies_ms, failed }: Load): string[] {
  const times = [0.5, 0.99, 1].map((share) => percentile(latencies_ms, share).toFixed(1))
  return [name, whole(done / seconds), ...times, String(failed)]
}
