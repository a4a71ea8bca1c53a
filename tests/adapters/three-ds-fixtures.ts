// What tests of EMV 3-D Secure share: a purchase to authenticate, an identity, a world with scripted answers.

import type { Http, Log, Random, World } from '../../src/kernel/world.ts'
import type { ServerIdentity } from '../../src/three-ds/emv/areq.ts'
import type { AuthenticationRequest, BrowserFacts, CardRangeStore, StoredRanges } from '../../src/three-ds/three-ds.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'

export const identity: ServerIdentity = {
  server_reference_number: '3DS_RIPPER_020200_00001',
  operator_id: 'ripper',
  requestor_id: 'ripper-checkout',
  requestor_name: 'Ripper Checkout',
  requestor_url: 'https://shop.example',
}

export const browser: BrowserFacts = {
  accept_header: 'text/html,*/*',
  user_agent: 'Mozilla/5.0 (test)',
  ip: '192.0.2.7',
  language: 'en-GB',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: -60,
  java_enabled: false,
  javascript_enabled: true,
}

export function purchase(changes: Partial<AuthenticationRequest> = {}): AuthenticationRequest {
  return {
    server_transaction_id: 'e8db9820-63b7-43ce-8831-36ce81a2e313',
    version: '2.2.0',
    brand: 'visa',
    number: '4000009100020000',
    exp_month: 9,
    exp_year: 2031,
    cardholder_name: 'Ada Lovelace',
    email: 'ada@example.com',
    method_completion: 'Y',
    amount: 4200,
    currency: 'GBP',
    purchased_at: new Date('2026-09-01T12:34:56Z'),
    browser,
    merchant: {
      name: 'Tea & Sons',
      mcc: null,
      country: null,
      acquirer_bin: null,
      acquirer_merchant_id: null,
    },
    notification_url: 'https://pay.example/3ds/notification/token',
    results_url: 'https://pay.example/3ds/results',
    ...changes,
  }
}

export type LogLine = { level: keyof Log; fields: object; message: string }

export type FakeWorld = World & { clock: ManualClock; lines: LogLine[] }

/** A world whose clock stands still, whose randomness counts up, and whose log can be read. */
export function fakeWorld(http: Http): FakeWorld {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { clock: manualClock(), random: countingRandom(), http, log, lines }
}

/** Bytes that never repeat and are the same in every run. */
export function countingRandom(): Random {
  let count = 0
  return {
    bytes(length) {
      count += 1
      const bytes = Buffer.alloc(length)
      bytes.writeUInt32BE(count, length - 4)
      return bytes
    },
  }
}

export function memoryRanges(): CardRangeStore & { rows: Map<string, StoredRanges> } {
  const rows = new Map<string, StoredRanges>()
  return {
    rows,
    load: async (directory_server) => rows.get(directory_server) ?? null,
    save: async (directory_server, ranges) => {
      rows.set(directory_server, ranges)
    },
  }
}
