// Plays the table through one library: what a scenario may do, and what came of each.

import type { Service } from '../../tests/support/service.ts'
import { openTellingProxy, type RecordingProxy } from '../../tests/support/telling-proxy.ts'
import { type Driver, type Failure, type Json, type Step, startDriver } from './driver.ts'
import { difference, kindOf } from './fits.ts'
import { openShop, type Shop } from './shop.ts'

export type Part = {
  shop: Shop
  library: { version: string; api_version: string }
  /** Between the library and the service. */
  proxy: Pick<RecordingProxy, 'passed' | 'loseAnswers'>
  /** What the library gave. Ends the scenario where that does not fit, or where the library raised something. */
  gives(call: string, step: Omit<Step, 'call'>, expected: Json): Promise<Json>
  /** What it raised: a class such as `InvalidRequest`, of which no language names all, and its members. */
  raises(call: string, step: Omit<Step, 'call'>, kind: string, expected: Json): Promise<Failure>
}

export type Scenario = { name: string; act(part: Part): Promise<void> }

export type Outcome = {
  scenario: string
  /** Null where all fits. */
  fault: string | null
}

class Misfit extends Error {}

/** Ends the scenario where something else than expected is there. */
export function expectFit(what: string, given: Json, expected: Json): void {
  const fault = difference(given, expected)
  if (fault) throw new Misfit(`${what}: ${fault}`)
}

/** Starts the library's driver, and plays each scenario in a shop of its own. */
export async function playThrough(
  service: Service,
  command: string[],
  scenarios: readonly Scenario[],
): Promise<{ version: string; outcomes: Outcome[] }> {
  const proxy = await openTellingProxy(service.base_url)
  const driver = startDriver([...command, `http://127.0.0.1:${proxy.port}`])
  try {
    const answer = await driver.make({ call: 'library' })
    if ('error' in answer) throw new Error(answer.error.message)
    const library = answer.object as Part['library']
    const outcomes: Outcome[] = []
    for (const { name, act } of scenarios) {
      const shop = await openShop(service)
      proxy.passed.length = 0
      const fault = await act({ shop, library, proxy, ...calls(driver, shop.secret_key) }).then(
        () => null,
        (error: Error) => error.message,
      )
      outcomes.push({ scenario: name, fault })
      proxy.loseAnswers(0)
      await shop.close()
    }
    return { version: library.version, outcomes }
  } finally {
    await driver.close()
    await proxy.close()
  }
}

function calls(driver: Driver, key: string): Pick<Part, 'gives' | 'raises'> {
  return {
    async gives(call, step, expected) {
      const answer = await driver.make({ key, ...step, call })
      if ('error' in answer) throw new Misfit(`${call}: raised ${wordsOf(answer.error)}`)
      expectFit(call, answer.object, expected)
      return answer.object
    },
    async raises(call, step, kind, expected) {
      const answer = await driver.make({ key, ...step, call })
      if ('object' in answer) throw new Misfit(`${call}: raised nothing`)
      const { error } = answer
      const has_kind = error.class === '' || kind === 'any' || kindOf(error) === kind
      if (!has_kind) throw new Misfit(`${call}: raised ${wordsOf(error)}, not ${kind}`)
      expectFit(call, error, expected)
      return error
    },
  }
}

function wordsOf({ class: name, status, code, message }: Failure): string {
  return [name, status, code, message].filter(Boolean).join(' ')
}
