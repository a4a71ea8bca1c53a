// `npm run wire`: every fault on every link, then links that stop one by one and come back in another order.

import { count, oneOf, readAsked, seed } from '../asked.ts'
import { openChance } from '../simulate/chance.ts'
import { breakLink, type FaultName, faults, limits, type Row } from './faults.ts'
import { withDatabase } from './own-database.ts'
import { type LinkName, openStage } from './stage.ts'
import { swizzleClog } from './swizzle-clog.ts'

const links = Object.keys(limits) as LinkName[]
const names = Object.keys(faults) as FaultName[]
const asked = readAsked('wire', {
  seed: seed(),
  link: oneOf(links),
  fault: oneOf(names),
  seconds: count(4),
  rounds: count(6, 0),
})
const say = (line: string) => void process.stdout.write(`${line}\n`)
say(`seed ${asked.seed}`)
say(rowOf(['link', 'fault', 'acked', '503', 'slowest', 'back after', '']))

const broken: string[] = []
for (const link of links.filter((each) => !asked.link || each === asked.link)) {
  broken.push(...(await withDatabase((database) => proveLink(database, link))))
}
if (!asked.link && asked.rounds > 0) broken.push(...(await withDatabase(proveAll)))
for (const fault of broken.slice(0, 40)) say(`broken: ${fault.slice(0, 600)}`)
say(`${broken.length} broken facts; seed ${asked.seed}`)
process.exitCode = broken.length === 0 ? 0 : 1

async function proveLink(database: Parameters<typeof openStage>[0], link: LinkName): Promise<string[]> {
  const chance = openChance(`${asked.seed} ${link}`)
  const stage = await openStage(database, chance)
  try {
    const found: string[] = []
    for (const fault of names.filter((each) => !asked.fault || each === asked.fault)) {
      const row = await breakLink(stage, chance, {
        link,
        fault,
        lasts_ms: asked.seconds * 1000,
      })
      say(describe(row))
      found.push(...row.broken.map((each) => `${link}, ${fault}: ${each}`))
    }
    return [...found, ...(await stage.judge()).map((each) => `${link}: ${each}`)]
  } finally {
    await stage.close()
  }
}

async function proveAll(database: Parameters<typeof openStage>[0]): Promise<string[]> {
  const chance = openChance(`${asked.seed} all`)
  const stage = await openStage(database, chance)
  try {
    say(`links stop one by one and come back in another order, ${asked.rounds} times`)
    await swizzleClog(stage, chance, { rounds: asked.rounds })
    const { acked, unavailable } = stage.street.diary.counts
    say(`${acked} acked, ${unavailable} unavailable`)
    return await stage.judge()
  } finally {
    await stage.close()
  }
}

function describe(row: Row): string {
  const { link, fault, acked, unavailable, slowest_ms, recovery_ms, broken } = row
  const times = [slowest_ms, recovery_ms].map((each) => `${Math.round(each)} ms`)
  return rowOf([link, fault, String(acked), String(unavailable), ...times, broken.join('; ')])
}

function rowOf([link, fault, acked, unavailable, slowest, back, rest]: string[]): string {
  return [
    ...[link!.padEnd(17), fault!.padEnd(21), acked!.padStart(6), unavailable!.padStart(5)],
    ...[slowest!.padStart(10), back!.padStart(11), `  ${rest}`],
  ].join('')
}
