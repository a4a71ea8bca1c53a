// The letters that lead to screens after g.

import type { ScreenName } from './screen-names.ts'

export const letters: Record<string, ScreenName> = {
  o: 'overview',
  p: 'payments',
  h: 'holds',
  s: 'sessions',
  w: 'webhooks',
  k: 'keys',
  t: 'team',
  a: 'audit',
}
