// How a round at the provider of single sign-on ended: the browser comes back with it in the fragment.

import { newStore } from '../store.ts'

type RoundEnd = 'proved' | 'refused'

/** Read once and taken out of the address, before the page goes on to a screen. Null once it was seen. */
export const roundEndStore = newStore(take())

function take(): RoundEnd | null {
  const [, end] = /^#single-sign-on=(proved|refused)$/.exec(location.hash) ?? []
  if (end) history.replaceState(null, '', location.pathname + location.search)
  return (end as RoundEnd | undefined) ?? null
}
