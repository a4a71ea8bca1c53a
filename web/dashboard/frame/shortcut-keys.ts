// The letters that lead to screens after g.

import type { screens } from './screen-names.ts'

export const letters: Record<string, (typeof screens)[number]> = {
  o: 'overview',
  p: 'payments',
  h: 'holds',
  s: 'sessions',
  w: 'webhooks',
  k: 'keys',
  t: 'team',
  a: 'audit',
}
