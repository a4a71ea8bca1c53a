// `ripper listen` as a user types it: events arrive at a local server, signed and once, whatever becomes of the service.

import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { ripper, talk } from '../support/programs.ts'
import { type Account, type Service, startService } from '../support/service.ts'
import { nobody_url, openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
let receiver: WebhookReceiver
beforeAll(async () => {
  service = await startService()
  receiver = await openWebhookReceiver()
})
afterAll(async () => {
  await receiver.close()
  await service.close()
})

const none = '/nonexistent'
const envOf = ({ secret_key }: Pick<Account, 'secret_key'>) => {
  return { RIPPER_SECRET_KEY: secret_key, RIPPER_DATA_DIR: none }
}
const at = ({ base_url }: Pick<Service, 'base_url'>) => ['--base-url', base_url]

/** A `ripper listen` that stays, for as long as its test at the most. */
function listeningTo({ base_url }: { base_url: string }, secret_key: string, ...args: string[]) {
  const program = talk(['listen', ...at({ base_url }), ...args], { env: envOf({ secret_key }) })
  onTestFinished(async () => void (await program.stop()))
  return program
}

const listening = ({ secret_key }: Account, ...args: string[]) => listeningTo(service, secret_key, ...args)

/** The documents of a program that prints one a line. */
const documents = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('events', () => {
  test('arrive signed, with the bytes of a delivery, and are shown with the answer', async () => {
    const account = await service.newAccount()
    const { url, port } = receiver
    const program = listening(account, '--forward-to', url.slice('http://'.length))
    await program.says('Forwarding')
    const [secret] = /rip_whsec_[0-9a-f]{64}/.exec(program.said())!
    const { payment_id } = (await account.client.pay()).body
    await program.says('-> 200')
    const { headers, body } = receiver.received.at(-1)!
    const [{ event_id, body: told } = { event_id: '', body: '' }] = await service.sql<
      { event_id: string; body: string }[]
    >`select event_id, body from events where payment_id = ${payment_id}`
    expect(body).toBe(told)
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['rip-signature']))!
    expect(createHmac('sha256', secret!).update(`${t}.${body}`).digest('hex')).toBe(v1)
    expect(headers['rip-idempotency-key']).toMatch(
      new RegExp(`^evt:${payment_id}#payment\\.captured#whep_[0-9a-f]{24}$`),
    )
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(program.said()).toMatch(
      new RegExp(`payment\\.captured +${event_id}  ${payment_id}  -> 200 POST http://127\\.0\\.0\\.1:${port}/.*`),
    )
    expect(program.said()).not.toContain('\u001b')
    expect(await program.stop('SIGINT')).toMatchObject({ status: 0, stderr: '' })
  })

  test('are forwarded in the words of Stripe, signed for its libraries', async () => {
    const account = await service.newAccount()
    const program = listening(account, '--format', 'stripe', '--forward-to', receiver.url)
    await program.says('Forwarding all events')
    const [, secret] = /secret is (whsec_[0-9a-f]{64})/.exec(program.said())!
    const before = receiver.received.length
    await account.client.pay()
    await program.says(/payment_intent\.succeeded +evt_\w+ {2}pay_\w+ {2}-> 200 POST/)
    const { headers, body, event } = receiver.received[before]!
    expect(event).toMatchObject({ object: 'event', type: 'payment_intent.succeeded' })
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['stripe-signature']))!
    expect(createHmac('sha256', secret!).update(`${t}.${body}`).digest('hex')).toBe(v1)
    await program.stop()
  })

  test('of a receiver that refuses, the first words of its answer are shown', async () => {
    const account = await service.newAccount()
    receiver.treat((_, response) => void response.writeHead(400).end('wrong\n\u001b[31msecret'))
    const program = listening(account, '--forward-to', receiver.url)
    await program.says('Ready!')
    await account.client.pay()
    await program.says(/-> HTTP 400 POST .*\n {3}wrong \[31msecret\n/)
    receiver.treat(() => 200)
    await program.stop()
  })

  test('a receiver that refuses is reported, and the next event still comes', async () => {
    const account = await service.newAccount()
    receiver.treat((_, response) => void response.writeHead(302, { location: '/' }).end())
    const program = listening(account, '--json', '--forward-to', receiver.url)
    await program.says('"ready"')
    await account.client.pay()
    await program.says('"response_status_code":302')
    receiver.treat(() => 200)
    await account.client.pay()
    await program.says('"succeeded":true')
    const { stdout, status } = await program.stop()
    expect(status).toBe(0)
    const [ready, first, second, ...more] = documents(stdout)
    expect(ready).toMatchObject({
      type: 'ready',
      merchant_id: account.merchant_id,
      forward_to: receiver.url,
      events: [],
      signing_secret: expect.stringMatching(/^rip_whsec_/),
    })
    expect(first).toMatchObject({
      type: 'event',
      event_type: 'payment.captured',
      forwarded: {
        url: receiver.url,
        succeeded: false,
        response_status_code: 302,
        failure: expect.stringMatching(/^redirect http/),
      },
    })
    expect(second.forwarded).toMatchObject({ succeeded: true, response_status_code: 200 })
    expect(more).toEqual([])
  })

  test('name their merchant where no key was given', async () => {
    const account = await service.newAccount()
    const { merchant_id, secret_key, publishable_key } = account
    const folder = mkdtempSync(join(tmpdir(), 'ripper-cli-listen-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const demo = { merchant_id, secret_key, publishable_key, base_url: service.base_url }
    writeFileSync(join(folder, 'demo.json'), JSON.stringify(demo))
    for (const command of [['listen'], ['logs', 'tail']]) {
      const program = talk(command, { env: { RIPPER_DATA_DIR: folder } })
      onTestFinished(async () => void (await program.stop()))
      await program.says(`the demo merchant (${merchant_id}; --key or RIPPER_SECRET_KEY takes`)
    }
    const named = listening(account)
    await named.says(`Listening to ${merchant_id} at`)
  })

  test('an address where nothing listens is reported in words', async () => {
    const account = await service.newAccount()
    const program = listening(account, '--forward-to', nobody_url)
    await program.says('Ready!')
    await account.client.pay()
    await program.says('connection_refused: nothing listens there')
    await program.stop()
  })

  test('without an address they are shown, and only those that are asked for', async () => {
    const account = await service.newAccount()
    const program = listening(account, '--events', 'payment.declined,payment.failed')
    await program.says('Showing payment.declined, payment.failed')
    await account.client.pay()
    await account.client.pay('4000000000000002')
    await program.says(/payment\.declined +evt_/)
    expect((await program.stop()).stdout).not.toMatch(/payment\.captured +evt_/)
  })
})

test('while the service is away nothing is lost, and nothing comes twice', async () => {
  const database: FreshDatabase = await freshDatabase()
  const master_key = randomBytes(32)
  const first = await startService({ database, master_key })
  const { account } = first
  const { secret_key } = account
  const gate = await openGate()
  gate.leadTo(first)
  const program = listeningTo(gate, secret_key, '--json', '--forward-to', receiver.url)
  await program.says('"ready"')
  const paid = [(await account.client.pay()).body.payment_id]
  await program.says('"event"')
  gate.leadTo(null)
  await first.close()
  await program.says('"lost"')
  const back = await startService({ database, master_key })
  const client = openClient({ base_url: back.base_url, secret_key })
  paid.push((await client.pay()).body.payment_id)
  gate.leadTo(back)
  await program.says('"back"')
  paid.push((await client.pay()).body.payment_id)
  await program.says(paid[2]!)
  const { stdout } = await program.stop()
  const told = documents(stdout)
  expect(told.filter(({ type }) => type === 'event').map(({ payment_id }) => payment_id)).toEqual(paid)
  expect(told.filter(({ type }) => type === 'lost')).toHaveLength(1)
  gate.close()
  await back.close()
  await database.drop()
}, 60_000)

test('away for longer than events are kept: it says which are missing, and goes on', async () => {
  const before = '2026-08-02T12:00:00.000000+00:00'
  const asked: (string | undefined)[] = []
  const server = createHttpServer(({ headers }, response) => {
    asked.push(headers['last-event-id'] as string | undefined)
    response.write(`id: ${asked.length}\nevent: ready\ndata: {"merchant_id":"m_1"}\n\n`)
    if (asked.length === 1) response.end(': still here\nid: old\n\n')
    else response.write(`event: missed\ndata: {"before":"${before}"}\n\n`)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const base_url = `http://127.0.0.1:${port}`
  const people = listeningTo({ base_url }, 'rip_sk_0')
  await people.says('events before 2026-08-02T12:00:00Z are missing')
  await people.stop()
  expect(asked).toEqual([undefined, 'old'])
  asked.length = 0
  const json = listeningTo({ base_url }, 'rip_sk_0', '--json')
  await json.says('"missed"')
  expect(documents((await json.stop()).stdout).at(-1)).toEqual({ type: 'missed', before })
  server.closeAllConnections()
  server.close()
})

/** An address that stays while services come and go behind it. */
async function openGate() {
  let target: number | null = null
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (target === null) return socket.destroy()
    const onward = connect(target, '127.0.0.1')
    for (const each of [socket, onward]) {
      open.add(each)
      each.on('error', () => {})
      each.on('close', () => open.delete(each))
    }
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    base_url: `http://127.0.0.1:${port}`,
    leadTo(service: Service | null) {
      target = service && Number(new URL(service.base_url).port)
      for (const each of open) each.destroy()
    },
    close: () => server.close(),
  }
}

describe('the secret', () => {
  test('is the same each time, and another for another key', async () => {
    const print = async ({ secret_key }: Account) =>
      (await ripper(['listen', '--print-secret'], { env: envOf({ secret_key }) })).stdout
    const other = await service.newAccount()
    const secret = await print(service.account)
    expect(secret).toMatch(/^rip_whsec_[0-9a-f]{64}\n$/)
    expect(await print(service.account)).toBe(secret)
    expect(await print(other)).not.toBe(secret)
    const json = await ripper(['listen', '--print-secret', '--json'], {
      env: envOf(service.account),
    })
    expect(documents(json.stdout)).toEqual([{ signing_secret: secret.trim() }])
    const stripe = await ripper(['listen', '--print-secret', '--format', 'stripe'], { env: envOf(service.account) })
    expect(stripe.stdout).toMatch(/^whsec_[0-9a-f]{64}\n$/)
    expect(stripe.stdout).not.toContain(secret.trim().slice('rip_whsec_'.length))
  })
})

test.each([[['listen']], [['logs', 'tail']]])('%j says that it prints lines', async (command) => {
  const { stdout } = await ripper([...command, '--help'])
  expect(stdout).toMatch(/\n {2}--json +print JSON documents, one a line, and nothing else\n/)
  const { stdout: other } = await ripper(['config', '--help'])
  expect(other).toMatch(/\n {2}--json +print one JSON document and nothing else\n/)
})

describe('refused', () => {
  const key = 'rip_sk_0000'
  test.each([
    ['a key that nobody has', ['--key', key], 1, /401 unknown_principal[\s\S]*that of --key[\s\S]*key create/],
    ['no service there', ['--key', key, '--base-url', 'http://127.0.0.1:9'], 1, /npm start/],
    ['no key', [], 1, /There is no secret key to use/],
    ['another kind of key', ['--key', 'rip_pk_0000'], 2, /begins rip_sk_/],
    ['no address', ['--key', key, '--forward-to', 'ftp://x'], 2, /must be an http or https URL/],
    ['no type', ['--key', key, '--events', 'payment.lost'], 2, /--events must be one of/],
    ['no base', ['--key', key, '--base-url', 'shop'], 2, /--base-url must be/],
  ])('%s', async (_, args, status, words) => {
    const base = args.includes('--base-url') ? [] : at(service)
    const env = { RIPPER_DATA_DIR: none }
    const ended = await ripper(['listen', ...base, ...args], { env })
    expect(ended.stderr).toMatch(words)
    expect(ended.status).toBe(status)
  })

  test('a key of another merchant than the one that is named', async () => {
    const args = ['listen', ...at(service), '--merchant', `m_${'0'.repeat(24)}`]
    const { status, stderr } = await ripper(args, { env: envOf(service.account) })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/The key belongs to the merchant m_/)])
  })
})
