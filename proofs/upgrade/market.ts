// The merchants of an upgrade and their receivers, opened by the old release's own commands.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openWebhookReceiver, type WebhookReceiver } from '../../tests/support/webhook-receiver.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Receiver } from '../simulate/receivers.ts'
import { hear, type Market, type Shop } from '../storm/shops.ts'
import type { Release } from './release.ts'

type MarketOptions = {
  release: Release
  env: Record<string, string>
  chance: Chance
  count: number
}

const filters = [[], ['payment.captured', 'payment.held']]

/** A release from before there were webhooks has merchants without receivers. */
export async function openMarket({ release, env, chance, count }: MarketOptions): Promise<Market> {
  const heard: Market['heard'] = []
  const faults: string[] = []
  const market = { shops: [] as Shop[], receivers: [] as Receiver[], faults, heard }
  const servers: WebhookReceiver[] = []
  const ripper = (...args: string[]) => answer(release, env, args)
  const hears = existsSync(join(release.root, 'src/webhooks'))

  async function openEndpoint(merchant_id: string, filter: string[]): Promise<void> {
    const server = await openWebhookReceiver((one, response) =>
      hear({ receiver, chance, faults, heard }, one, response),
    )
    servers.push(server)
    const named = filter.flatMap((type) => ['--event', type])
    const made = await ripper(...['endpoint', 'create', '--url', server.url, '--merchant', merchant_id], ...named)
    const receiver: Receiver = {
      url: server.url,
      merchant_id,
      endpoint_id: made.id!,
      secret: made.signing_secret!,
      filter,
      extensions: [],
      is_broken: false,
      events: new Map(),
    }
    market.receivers.push(receiver)
  }

  async function openShop(number: number): Promise<void> {
    const made = await ripper('merchant', 'create', '--name', `Shop ${number}`)
    const merchant_id = made.merchant_id!
    const origin = `https://shop-${number}.example`
    const of = ['--merchant', merchant_id]
    const [key] = await Promise.all([
      ripper('key', 'create', ...of),
      ripper('integration', 'create', ...of, '--name', 'default', '--default', '--origin', origin),
      ...(hears ? filters : []).map((filter) => openEndpoint(merchant_id, filter)),
    ])
    const { secret_key, key_id, publishable_key } = key as Omit<Shop, 'merchant_id' | 'origin'>
    market.shops.push({ merchant_id, origin, secret_key, key_id, publishable_key })
  }

  await Promise.all(Array.from({ length: count }, (_, at) => openShop(at + 1)))
  return {
    ...market,
    async close() {
      for (const server of servers) await server.close()
    },
  }
}

/** The JSON document of a command of the release that succeeds. */
function answer({ root }: Release, env: Record<string, string>, args: string[]): Promise<Record<string, string>> {
  const program = join(root, 'bin/ripper.mjs')
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    env: { ...process.env, ...env, RIPPER_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (part) => {
    stdout += part
  })
  child.stderr.on('data', (part) => {
    stderr += part
  })
  return new Promise((answered, failed) => {
    child.once('close', (status) => {
      if (status === 0) answered(JSON.parse(stdout))
      else failed(new Error(`the old release's ${args.slice(0, 2).join(' ')}: ${stderr}`))
    })
  })
}
