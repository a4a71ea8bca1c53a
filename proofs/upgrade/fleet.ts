// The processes of both releases: of each that runs a service and a worker.

import { waitFor } from '../storm/rest.ts'
import type { Balancer } from './balancer.ts'
import { type Member, type Place, startMember } from './member.ts'
import type { Release } from './release.ts'

export type Fleet = {
  /**
   * Starts a service and a worker, and waits until the balancer takes it for ready. Returns what the service said where it
   * would not start, else null.
   */
  start(release: Release): Promise<string | null>
  /** SIGTERM to both, until both have ended. */
  stop(release: Release): Promise<void>
  stopAll(signal?: NodeJS.Signals): Promise<void>
  /** Processes that ended by themselves, or with a status. */
  faults: string[]
}

export function openFleet(place: Place, balancer: Balancer): Fleet {
  const members = new Set<Member>()
  const faults: string[] = []

  async function add(release: Release, command: Member['command']): Promise<Member | string> {
    const member = await startMember(release, command, place)
    if (typeof member === 'string') return member
    members.add(member)
    void member.ended.then((how) => {
      if (members.delete(member)) faults.push(`${member.name} ended by itself with ${how}`)
    })
    return member
  }

  async function end(member: Member, signal: NodeJS.Signals): Promise<void> {
    members.delete(member)
    const how = await member.stop(signal)
    if (member.base_url !== null) balancer.remove(member.base_url)
    if (how !== '0' && signal === 'SIGTERM') faults.push(`${member.name} was stopped, with ${how}`)
  }

  const endAll = async (which: Member[], signal: NodeJS.Signals) => {
    await Promise.all(which.map((member) => end(member, signal)))
  }
  return {
    faults,
    async start(release) {
      const service = await add(release, 'serve')
      if (typeof service === 'string') return service
      const address = service.base_url!
      balancer.add(address)
      await waitFor(async () => balancer.isReady(address), `${service.name} is never ready`)
      const worker = await add(release, 'worker')
      if (typeof worker === 'string') faults.push(`the ${release.name} worker: ${worker}`)
      return null
    },
    stop: (release) =>
      endAll(
        [...members].filter((member) => member.release === release),
        'SIGTERM',
      ),
    stopAll: (signal = 'SIGTERM') => endAll([...members], signal),
  }
}
