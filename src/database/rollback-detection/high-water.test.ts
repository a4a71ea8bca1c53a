// Which observations suggest lost commits, and which do not.

import { expect, test } from 'vitest'
import { type DatabaseObservation, type Mark, type RememberedMark, signsOfLoss } from './high-water.ts'

const server = { system_identifier: '7600000000000000001', timeline: 3 }
const mark: Mark = { epoch: 40, mark: 'm40', written_at: new Date(0), ...server }
const newest: Mark = { ...mark, epoch: 42, mark: 'm42' }
const sight: DatabaseObservation = { database: 'ripper', installation: 'ours', newest, at_remembered: 'm40', server }

const elsewhere = { ...mark, database: 'ripper_drill' }

test.each<[string, Partial<DatabaseObservation>, RememberedMark | null, RegExp[]]>([
  ['nothing has changed', {}, mark, []],
  ['nothing is remembered', { at_remembered: null }, null, []],
  ['the database is new', { at_remembered: null, newest: null }, null, []],
  ['what is remembered was purged', { at_remembered: null }, mark, []],
  ['the newest is remembered', { at_remembered: 'm42' }, newest, []],
  ['a promotion', { server: { ...server, timeline: 4 } }, mark, [/timeline is 4/]],
  ['a recovery to an older one', { server: { ...server, timeline: 2 } }, mark, [/timeline is 2/]],
  [
    'a promotion that another process has written down by now',
    { server: { ...server, timeline: 4 }, newest: { ...newest, timeline: 4 } },
    mark,
    [/timeline is 4/],
  ],
  [
    'a promotion, and nothing remembered',
    { server: { ...server, timeline: 4 }, at_remembered: null },
    null,
    [/timeline is 4/],
  ],
  [
    'another cluster, whose timelines are its own',
    { server: { system_identifier: '8', timeline: 1 } },
    mark,
    [/another cluster/],
  ],
  ['a server that may not be read any more', { server: { system_identifier: null, timeline: null } }, mark, []],
  [
    'one that could not be read before',
    { newest: { ...newest, system_identifier: null, timeline: null } },
    { ...mark, system_identifier: null, timeline: null },
    [],
  ],
  ['timelines alone that can be read', { server: { system_identifier: null, timeline: 4 } }, mark, [/4/]],
  ['an older state', { newest: { ...mark, epoch: 39 }, at_remembered: null }, mark, [/is 39, and was 40/]],
  ['no state at all', { newest: null, at_remembered: null }, mark, [/is none, and was 40/]],
  ['an older state that went on', { at_remembered: 'other' }, mark, [/mark 40 is another/]],
  // A database that was restored under another name has lost as much.
  [
    'a mark of a drill',
    { at_remembered: 'other' },
    elsewhere,
    [/mark 40 is another/, /ripper_drill.*this one is ripper/],
  ],
  ['a mark of the same database', { at_remembered: 'other' }, { ...mark, database: 'ripper' }, [/mark 40 is another/]],
  ['another name alone', {}, elsewhere, []],
  ['another mark at acquirers', { installation: 'theirs' }, mark, [/another mark/]],
  ['none', { installation: null }, mark, [/another mark/]],
])('%s', (_, changes, remembered, expected) => {
  expect(signsOfLoss({ ...sight, ...changes }, remembered, 'ours')).toEqual(
    expected.map((words) => expect.stringMatching(words)),
  )
})
