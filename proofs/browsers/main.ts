// `npm run browsers`: the dashboard and the hosted page in Firefox and WebKit, each on a service and data folder of its own.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { answer, serve } from '../../tests/support/programs.ts'
import { newDataFolder } from '../../tests/support/setup-database.ts'
import { flag, oneOf, readAsked } from '../asked.ts'
import { type Browser, MissingError } from './driver.ts'
import { firefox } from './firefox.ts'
import { visitorWith } from './visitor.ts'
import { type Shop, visits } from './visits.ts'
import { webkit } from './webkit.ts'

const browsers = [firefox, webkit]
const asked = readAsked('browsers', {
  browser: oneOf(browsers.map(({ name }) => name)),
  'skip-missing': flag,
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

let faults = 0
for (const browser of browsers.filter(({ name }) => !asked.browser || asked.browser === name)) {
  faults += await prove(browser)
}
process.exitCode = faults === 0 ? 0 : 1

/** Returns how many visits failed. */
async function prove(browser: Browser): Promise<number> {
  const { name, install } = browser
  try {
    const driver = await browser.start()
    try {
      return await withShop((shop) => visitAll(name, visitorWith(driver), shop))
    } finally {
      await driver.close()
    }
  } catch (error) {
    if (!(error instanceof MissingError)) throw error
    const is_skipped = asked['skip-missing']
    say(`${name}: ${is_skipped ? 'skipped' : 'FAILED'}, ${error.message} is missing: ${install}`)
    return is_skipped ? 0 : 1
  }
}

async function visitAll(name: string, visitor: ReturnType<typeof visitorWith>, shop: Shop): Promise<number> {
  let failed = 0
  for (const visit of visits) {
    const began_at = performance.now()
    const fault = await visit.run(visitor, shop).then(
      () => null,
      (error: Error) => error.message,
    )
    const seconds = ((performance.now() - began_at) / 1000).toFixed(1)
    say(`${name}: ${visit.name}: ${fault === null ? `ok, ${seconds} s` : `FAILED, ${fault}`}`)
    if (fault !== null) failed += 1
  }
  return failed
}

async function withShop<T>(work: (shop: Shop) => Promise<T>): Promise<T> {
  const place = newDataFolder()
  const env = { RIPPER_DATA_DIR: join(place, 'data'), RIPPER_PORT: '0' }
  const service = await serve({ env })
  try {
    const { dashboard_url, pay_url, merchant_id } = service.said as Record<string, string>
    const link = ['user', 'link', '--operator', '--email', 'jo@shop.example']
    const owner = await answer([...link, '--merchant', merchant_id!, '--role', 'owner'], { env })
    return await work({
      owner_link: owner.url,
      dashboard_url: dashboard_url!,
      pay_url: `${pay_url}/demo`,
    })
  } finally {
    await service.stop()
    rmSync(place, { recursive: true, force: true })
  }
}
