// The whole checkout over HTTP: create, card reference, authenticate, confirm, each a request of its own.
// Measured as fast as it goes and at fixed rates; afterwards the books of all sides must agree.

import { type Client, closedLoad, type Load, openClients, openLoad, type Work } from './load.ts'
import { percentile, type Table, whole } from './report.ts'
import { browser, card, createRequest, nextKey, requestBytes } from './requests.ts'
import { barePool, type Started, withDataFolder, withService } from './service.ts'

const clients_closed = 32
const clients_max = 256
const rates = [50, 100, 200, 300, 400]

export async function checkout({ quick }: { quick: boolean }): Promise<Table[]> {
  const seconds = quick ? 2 : 15
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      let captured = 0
      const pay: Work = async (client) => {
        const paid = await payOnce(client, service.secret_key)
        if (paid) captured += 1
        return paid
      }
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
      const books = { name: 'books', ...(await compareBooks(data_dir, service, captured)) }
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

/** True when the confirm answered that the money was taken. */
async function payOnce(client: Client, secret_key: string): Promise<boolean> {
  const created = await client.send(createRequest(secret_key, nextKey()))
  if (created.status !== 201) return false
  const { id, client_secret } = JSON.parse(created.body.toString()) as {
    id: string
    client_secret: string
  }
  const post = async (step: string, body: object) => {
    const path = `/v1/checkout/sessions/${id}/${step}`
    const headers = { 'rip-client-secret': client_secret }
    const answer = await client.send(requestBytes({ method: 'POST', path, headers, body }))
    return JSON.parse(answer.body.toString()) as Record<string, unknown>
  }
  const { card_reference } = await post('card_references', card)
  await post('authenticate', { card_reference, browser })
  return (await post('confirm', {})).status === 'captured'
}

/** Throws where a payment was lost, invented or told of wrongly. */
async function compareBooks(
  data_dir: string,
  { merchant_id }: Started,
  captured: number,
): Promise<Omit<Table, 'name'>> {
  const sql = await barePool(data_dir, 1)
  const [row] = await sql<Record<string, number>[]>`
    select
      (select count(*) from sessions where merchant_id = ${merchant_id} and status = 'succeeded')::int as "sessions succeeded",
      (select count(*) from payments where merchant_id = ${merchant_id} and status = 'captured')::int as "payments captured",
      (select count(*) from events where merchant_id = ${merchant_id} and type = 'payment.captured')::int as "events payment.captured",
      (select count(*) from simulator.ledger where kind = 'authorise' and captured_at is not null)::int as "captures in the simulator's ledger"`
  await sql.end()
  const counts = { 'confirms answered captured': captured, ...row }
  const rows = Object.entries(counts).map(([what, count]) => [what, whole(count)])
  if (new Set(Object.values(counts)).size !== 1) {
    throw new Error(`the books differ: ${JSON.stringify(counts)}`)
  }
  return { headings: ['after all of these checkouts', 'count'], rows }
}
