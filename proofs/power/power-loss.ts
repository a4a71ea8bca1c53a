// The power goes while sessions are created: what was acknowledged is there when it comes back.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { realClock } from '../../tests/support/world.ts'
import { openDiary } from '../storm/diary.ts'
import { makeImage, mount, snapshot, unmount, withFolder } from './disk.ts'
import { createOn, faultsOfReplays, openShop, signalAll } from './shop.ts'

export type PowerLoss = { acked: number; asked: number; faults: string[] }

const image_megabytes = 1_000

/** One loss, so long after the first session. */
export function losePower(after_ms: number): Promise<PowerLoss> {
  return withFolder(async (folder) => {
    const [image, copy, disk] = ['image', 'copy', 'disk'].map((name) => `${folder}/${name}`) as [string, string, string]
    const diary = openDiary(`${folder}/answers.jsonl`)
    makeImage(image, image_megabytes)
    mount(image, disk)
    const shop = await openShop(`${disk}/data`)
    const clients = createOn(shop.program, diary, 'before')
    await realClock.sleep(after_ms)
    write(`${disk}/synced`, true)
    write(`${disk}/not-synced`, false)
    const pids = signalAll(shop, 'SIGSTOP')
    snapshot(image, copy)
    // What they had sent before they stood still counts as acknowledged.
    await realClock.sleep(100)
    clients.stop()
    const acked = diary.counts.acked
    const asked = diary.promises.length
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await shop.program.stop('SIGKILL')
    await goneAll(pids)
    unmount(disk)
    rmSync(image)

    mount(copy, disk)
    const faults = faultsOfMethod(disk)
    const next = await openShop(`${disk}/data`)
    faults.push(...(await faultsOfReplays(next.program, diary)))
    await next.program.stop()
    diary.close()
    return { acked, asked, faults }
  })
}

/** The copy has to have what was synced and must not have what was not: otherwise it proves nothing. */
function faultsOfMethod(disk: string): string[] {
  const text = (name: string) => (existsSync(`${disk}/${name}`) ? readFileSync(`${disk}/${name}`, 'utf8') : '')
  return [
    ...(text('synced') === words ? [] : ['the copy lacks what was synced']),
    ...(text('not-synced') === words ? ['the copy has what was never synced'] : []),
  ]
}

const words = 'there'

function write(path: string, is_synced: boolean): void {
  const file = openSync(path, 'w')
  writeSync(file, words)
  if (is_synced) fsyncSync(file)
  closeSync(file)
}

async function goneAll(pids: number[]): Promise<void> {
  while (pids.some((pid) => existsSync(`/proc/${pid}/exe`))) await realClock.sleep(20)
}
