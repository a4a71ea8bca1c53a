// The program with its embedded server on a disk of ours, and clients that create sessions there as fast as they can.

import { findHome, type Home } from '../../src/database/embedded/home.ts'
import { servingPid } from '../../src/database/embedded/process.ts'
import { type Staying, serve } from '../../tests/support/programs.ts'
import { openChance } from '../simulate/chance.ts'
import { insist, type Street } from '../storm/asking.ts'
import type { Diary, DiaryPromise } from '../storm/diary.ts'
import { childrenOf, signal } from '../storm/server.ts'

export type Shop = { program: Staying; home: Home }

export async function openShop(data_dir: string): Promise<Shop> {
  const env = { RIPPER_DATA_DIR: data_dir, RIPPER_PORT: '0', RIPPER_GATEWAY_LIMIT: '0' }
  const program = await serve({ env: { ...env, RIPPER_LOG_LEVEL: 'silent' } })
  return { program, home: await findHome(data_dir) }
}

/** Sends a signal to the program and to every process of its database's server. Returns which those were. */
export function signalAll({ program, home }: Shop, name: NodeJS.Signals): number[] {
  const postmaster = servingPid(home)
  const server = postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)]
  const all = [program.pid, ...server]
  for (const pid of all) signal(pid, name)
  return all
}

export type Clients = {
  /** No more is begun; what was asked may never be answered. */
  stop(): void
}

const clients = 6

/** Creates on and on. What is answered is in the diary. */
export function createOn({ said }: Staying, diary: Diary, name: string): Clients {
  let is_over = false
  const street: Street = {
    diary,
    addresses: () => [said.base_url!],
    loses_answers: false,
    timeout_ms: 60_000,
    give_up_ms: 0,
  }
  for (let client = 0; client < clients; client += 1) {
    const chance = openChance(`${name} ${client}`)
    void (async () => {
      for (let count = 0; !is_over; count += 1) {
        const promised = promise(diary, said, `${name} ${client}.${count}`)
        const answer = await insist({ ...street, chance, name }, promised.asked)
        if (answer && !is_over) diary.keepAnswer(promised, answer)
      }
    })()
  }
  return {
    stop() {
      is_over = true
    },
  }
}

/** Asks for everything again that was ever asked for. Returns what does not agree with the first answers. */
export async function faultsOfReplays({ said }: Staying, diary: Diary): Promise<string[]> {
  const street: Street = {
    diary,
    addresses: () => [said.base_url!],
    loses_answers: false,
    timeout_ms: 30_000,
    give_up_ms: performance.now() + 120_000,
  }
  const chance = openChance('again')
  const faults: string[] = []
  for (const promised of diary.promises) {
    const again = await insist({ ...street, chance, name: 'again' }, promised.asked)
    const { key, text } = promised
    if (again?.status !== 201) faults.push(`${key} is answered ${again?.status} ${again?.text}`)
    else if (text !== null && (again.text !== text || !again.replayed)) {
      faults.push(`${key} was acknowledged and is lost: ${text}, now ${again.text}`)
    }
  }
  return [...faults, ...diary.faults]
}

function promise(diary: Diary, said: Record<string, string>, key: string): DiaryPromise {
  const headers = { 'x-service-api-key': said.secret_key!, 'rip-idempotency-key': key }
  const body = { amount: 4200, currency: 'GBP', metadata: { key } }
  const asked = { method: 'POST' as const, path: '/v1/checkout/sessions', headers, body }
  return diary.promise({ key, asked, kind: 'native', merchant_id: said.merchant_id! })
}
