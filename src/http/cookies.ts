// The cookies that a browser sent.

import type { Caller } from './access.ts'

export function cookieIn(caller: Caller, name: string): string | null {
  return cookiesOf(caller).get(name) ?? null
}

export function cookiesOf(caller: Caller): Map<string, string> {
  const pairs = (caller.header('cookie') ?? '').split(';').map((pair) => {
    const [name, ...value] = pair.split('=')
    return [name!.trim(), value.join('=').trim()] as const
  })
  // The first cookie of a name counts: browsers send the one with the longest path first.
  return new Map(pairs.toReversed().filter(([, value]) => value !== ''))
}
