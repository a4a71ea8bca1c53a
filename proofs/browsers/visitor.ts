// A person at a driven browser: waits until what they look for is there, then clicks it, types into it or reads it.

import { setTimeout as pause } from 'node:timers/promises'
import type { Driver, Handle, Place } from './driver.ts'
import type { Target } from './find.ts'

export type Visitor = {
  open(address: string): Promise<void>
  click(target: Target): Promise<void>
  type(target: Target, text: string): Promise<void>
  /** Waits until it is there. */
  see(target: Target): Promise<void>
  /** Waits until it is gone. */
  miss(target: Target): Promise<void>
}

const patience_ms = 20_000
const look_ms = 100

export function visitorWith(driver: Driver): Visitor {
  type Found = { place: Place; handle: Handle }

  async function look({ kind, name, frames = [] }: Target): Promise<Found | null> {
    let place: Place = null
    for (const title of frames) {
      const frame = await driver.find(place, 'frame', title)
      if (frame === null) return null
      place = await driver.enter(place, frame)
    }
    const handle = await driver.find(place, kind, name)
    return handle === null ? null : { place, handle }
  }

  /** Tries until the act succeeds: what was found may have been drawn anew before it is used. */
  async function until(words: string, act: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + patience_ms
    for (let why = ''; ; await pause(look_ms)) {
      try {
        if (await act()) return
      } catch (error) {
        why = `, ${(error as Error).message}`
      }
      if (performance.now() < end) continue
      const page = await driver.read().catch(() => '')
      throw new Error(`${words}${why}; the page reads: ${page.replace(/\s+/g, ' ').slice(0, 700)}`)
    }
  }

  const nameOf = ({ kind, name }: Target) => `${kind} ${JSON.stringify(name)}`
  const with_ = (verb: string, target: Target, use: (found: Found) => Promise<void>) =>
    until(`cannot ${verb} ${nameOf(target)}`, async () => {
      const found = await look(target)
      if (found) await use(found)
      return found !== null
    })

  return {
    open: (address) => driver.open(address),
    click: (target) => with_('click', target, ({ place, handle }) => driver.click(place, handle)),
    type: (target, text) => with_('type into', target, ({ place, handle }) => driver.type(place, handle, text)),
    see: (target) => with_('see', target, async () => {}),
    miss: (target) => until(`still sees ${nameOf(target)}`, async () => (await look(target)) === null),
  }
}
