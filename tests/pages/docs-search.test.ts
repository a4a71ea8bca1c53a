// What readers type into the search of the documentation, and where it has to lead them: by words of the text, not by headings alone.

import { expect, test } from 'vitest'
import { inlineDocument } from '../../src/documents/openapi/openapi.ts'
import { guideFiles } from '../../src/documents/site/guide-files.ts'
import { documentation } from '../../src/documents/site/pages.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { find, type SearchEntry } from '../../web/docs/find.ts'

const pages = documentation(inlineDocument(routes, events, streams), guideFiles())
const index: SearchEntry[] = JSON.parse(pages.get('/docs/search.json')!.body)
/** So many does a reader see at a glance. */
const seen_max = 4

test.each([
  ['RIPPER_PORT', '/docs/operations/settings#ripper_port'],
  ['ripper_log_level', '/docs/operations/settings#ripper_log_level'],
  ['log level', '/docs/operations/settings#ripper_log_level'],
  ['pg_restore', '/docs/operations/backup#restore'],
  ['pg_dump', '/docs/operations/backup#back-up'],
  ['disk full', '/docs/operations/watching#disk-full'],
  ['alarm', '/docs/operations/alarms'],
  ['RipperNotReady', '/docs/operations/alarms#rippernotready'],
  ['rotate', '/docs/operations/keys#rotate-the-master-key'],
  ['rotate key', '/docs/operations/keys#rotate-the-master-key'],
  ['upgrade', '/docs/operations/upgrade'],
  ['systemd upgrade', '/docs/operations/upgrade#upgrades'],
  ['embedded database own', '/docs/operations/backup#from-the-embedded-database-to-your-own'],
  ['nginx', '/docs/operations/proxy'],
  ['session_expired', '/docs#session_expired'],
  ['session expired', '/docs#session_expired'],
  ['test card', '/docs/test-cards'],
  ['insufficient funds', '/docs/test-cards#every-outcome'],
  ['basket changed', '/docs/shop#what-to-keep-of-it'],
  ['try expired session', '/docs/shop#try-it'],
])('%s', (asked, place) => {
  const places = find(index, asked).map(({ href }) => href)
  expect(places.slice(0, seen_max)).toContain(place)
})

test('the whole of it is worth its bytes', () => {
  expect(JSON.stringify(index).length).toBeLessThan(400_000)
})
