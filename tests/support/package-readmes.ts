// The README of a package, followed line by line in a folder of a shop, against a service.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateTestHeader } from '../../sdk/src/index.ts'
import { purchase } from './client.ts'
import { readGuide } from './guide-blocks.ts'
import { packages_folder } from './package-driver.ts'
import { type ProgramResult, shell } from './programs.ts'
import { type Service, startService } from './service.ts'

export type Shop = {
  folder: 'python' | 'php' | 'go'
  /** What is there before the first block: the shell's lines. */
  before: string
  /** Where a block of the language is saved, and the text around it. */
  file: string
  around(block: string, name: 'use' | 'webhook'): string
  /** Runs the file; the body of a webhook comes by standard input, its signature in HTTP_RIP_SIGNATURE. */
  run: string
}

export function judgeReadme({ folder, before, file, around, run }: Shop): void {
  const { blocks } = readGuide(`sdk/${folder}/README.md`)
  const place = mkdtempSync(join(tmpdir(), `ripper-${folder}-`))
  const secret = `rip_whsec_${'ab'.repeat(32)}`
  let service: Service

  beforeAll(async () => {
    service = await startService()
    mkdirSync(join(place, 'home'))
    const { status, stderr } = await start(`${before}\n${blocks.install}`)
    expect(status, stderr).toBe(0)
  }, 240_000)
  afterAll(async () => {
    await service.close()
    rmSync(place, { recursive: true, force: true })
  })

  const start = (script: string, more: Record<string, string> = {}): Promise<ProgramResult> => {
    const { secret_key } = service.account
    const settings = { RIPPER_BASE_URL: service.base_url, RIPPER_SECRET_KEY: secret_key, RIPPER_WEBHOOK_SECRET: secret }
    const env = { ...settings, RIPPER: join(packages_folder, '..'), ...more }
    return shell(script, { cwd: place, env })
  }
  const runBlock = (name: 'use' | 'webhook', more: Record<string, string> = {}) => {
    writeFileSync(join(place, file), around(blocks[name]!, name))
    return start(run, more)
  }

  test('has no block that is not tried here', () => {
    expect(Object.keys(blocks)).toEqual(['install', 'use', 'webhook'])
  })

  test('creates one session for the order, refunds while there is something left, and tells of the refusal', async () => {
    await service.client.pay(undefined, purchase)
    const told: string[][] = []
    for (let count = 0; count < 4; count++) {
      const { status, stdout, stderr } = await runBlock('use')
      expect(status, stderr).toBe(0)
      told.push(stdout.trimEnd().split('\n'))
    }
    expect(told[0]![0]).toMatch(/^(cs_[0-9a-f]{24}) \1_secret_[0-9a-f]{64}$/)
    expect(new Set(told.map(([session]) => session)).size).toBe(1)
    expect(told.slice(0, 3).map((lines) => lines[1])).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(told[3]![1]).toMatch(/^refund_exceeds_captured 409 amount req_[0-9a-f]{24}$/)
  })

  test('takes a webhook, and no forged one', async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'payment.captured', data: { order_reference: 'order-1002' } })
    writeFileSync(join(place, 'body'), body)
    const right = await runBlock('webhook', { HTTP_RIP_SIGNATURE: generateTestHeader({ body, secret }) })
    expect(right.stdout + right.stderr).toContain('ship order-1002')
    const forged = generateTestHeader({ body, secret: `rip_whsec_${'cd'.repeat(32)}` })
    const wrong = await runBlock('webhook', { HTTP_RIP_SIGNATURE: forged })
    expect(wrong.stdout + wrong.stderr).toContain('The signature does not match the secret.')
    expect(wrong.stdout + wrong.stderr).not.toContain('ship')
  })
}
