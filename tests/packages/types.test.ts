// What each language's own tools say of its package: its types, its layout, its grammar.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { go, packages_folder, php } from '../support/package-driver.ts'

const place = mkdtempSync(join(tmpdir(), 'ripper-types-'))
afterAll(() => rmSync(place, { recursive: true }))

function run(folder: string, command: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { cwd: join(packages_folder, folder), encoding: 'utf8' })
  return stdout + stderr
}

const has_mypy = spawnSync('python3', ['-m', 'mypy', '--version'], { stdio: 'ignore' }).status === 0

describe.skipIf(!has_mypy)(has_mypy ? 'Python' : 'Python needs mypy for python3', () => {
  const mypy = (code: string[]): string[] => {
    const file = join(place, 'shop.py')
    writeFileSync(file, code.join('\n'))
    const said = run('python', 'python3', '-m', 'mypy', `--cache-dir=${place}`, 'ripper_checkout', file)
    return said.split('\n').filter((line) => line.includes(': error:'))
  }
  const right = [
    'from ripper_checkout import Ripper, verify_webhook',
    'ripper = Ripper("rip_sk_1", base_url="http://x")',
    'session = ripper.checkout.sessions.create({"amount": 1, "currency": "GBP"}, idempotency_key="x")',
    'print(session["client_secret"] + "x")',
    'for payment in ripper.payments.list({"status": "held", "refunded": True}):',
    '    print(payment["amount"] + 1)',
    'event = verify_webhook(b"", {}, None)',
    'if event["type"] == "payment.held":',
    '    print(event["data"]["hold"]["deadline"])',
  ]
  const wrong = [
    'ripper.checkout.sessions.create({"amount": "1", "currency": "GBP"})',
    'ripper.checkout.sessions.create({"amount": 1})',
    'ripper.checkout.sessions.create({"amount": 1, "currency": "GBP", "colour": 1})',
    'ripper.payments.retrieve("pay_1", idempotency_key="x")',
    'ripper.payments.list({"status": "paid"})',
    'ripper.payments.retrieve("pay_1")["clientsecret"]',
    'if event["type"] == "payment.declined": event["data"]["hold"]["reason"]',
  ]

  test('takes what is right', () => {
    expect(mypy(right)).toEqual([])
  })

  test('notices each of what is wrong', () => {
    const lines = mypy([...right, ...wrong]).map((line) => Number(line.split(':')[1]))
    expect(lines).toEqual(wrong.map((_, index) => right.length + index + 1))
  })
})

describe.skipIf(go.missing)(go.missing ? `Go ${go.missing}` : 'Go', () => {
  test.each([
    ['gofmt', '-l', '.'],
    ['go', 'vet', './...'],
  ])('%s has nothing to say', (command, ...args) => {
    expect(run('go', command, ...args)).toBe('')
  })
})

describe.skipIf(php.missing)(php.missing ? `PHP ${php.missing}` : 'PHP', () => {
  const files = readdirSync(join(packages_folder, 'php'), { recursive: true, encoding: 'utf8' })

  test.each(files.filter((name) => name.endsWith('.php')))('%s can be read', (name) => {
    expect(run('php', 'php', '-l', name)).toMatch(/^No syntax errors/)
  })
})
