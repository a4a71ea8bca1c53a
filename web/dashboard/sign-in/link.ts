// The one-time secret of a link, which stands in the fragment so that no server's log has it.

export type TakenLink = { purpose: 'welcome' | 'invite' | 'reset'; secret: string }

/** Reads it and takes it out of the address at once, so that it is neither in the history nor in a shared address. */
export function takeLink(): TakenLink | null {
  const found = readLink(location.hash)
  if (found) history.replaceState(null, '', location.pathname + location.search)
  return found
}

export function readLink(fragment: string): TakenLink | null {
  const [, purpose, secret] = /^#(welcome|invite|reset)=([\w-]+)$/.exec(fragment) ?? []
  return purpose && secret ? { purpose: purpose as TakenLink['purpose'], secret } : null
}
