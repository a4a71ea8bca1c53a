// What a statement is called in a trace: what it does to which tables, and none of its values.

import { expect, test } from 'vitest'
import { labelOf } from './statement-spans.ts'

test.each([
  ['select 1', 'select'],
  ['select * from payments where merchant_id = $ and payment_id = $', 'select payments'],
  ['select extract(epoch from max(at)) from vault.cards', 'select vault.cards'],
  ['select x from unnest($::text[]) as x join sessions on id = x', 'select sessions'],
  ['with found as (select 1 from holds for update) select * from found', 'select holds'],
  [
    'with one as materialized (update sessions set a = $ returning id)\n insert into events select id from one',
    'update sessions, insert events',
  ],
  ['insert into limits (a) values ($) on conflict (a) do update set a = $', 'insert limits'],
  ['select id from holds order by id for update skip locked', 'select holds'],
  ['select id from holds for update of holds', 'select holds'],
  ['delete from only vault.cards where until < $', 'delete vault.cards'],
  ["select 1 from a where b = 'insert into 4242424242424242'", 'select a'],
  ['-- update nothing\n select a from b', 'select b'],
  ['update a set b = $; update a set c = $', 'update a'],
  ["set local statement_timeout = '5s'", 'set'],
  ['listen news', 'listen'],
  ['', 'statement'],
])('%s is called %s', (text, label) => {
  expect(labelOf(text)).toBe(label)
})

test('a name has an end', () => {
  const text = Array.from({ length: 50 }, (_, at) => `insert into table_${at} values ($)`).join(';')
  expect(labelOf(text)).toHaveLength(120)
})
