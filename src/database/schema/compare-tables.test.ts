// What the comparison of a database's tables with the schema sees, each time in a transaction that is rolled back.

import { afterAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database.ts'
import { ownMigrations } from '../migrate.ts'
import { compareTables } from './compare-tables.ts'

const fresh = await freshDatabase()
const database = await fresh.open({ connections_max: 1 })
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const texts = ownMigrations().map(({ text }) => text)
const rolled_back = 'rolled back'

/** What is said of the tables after a change; null where nothing is. */
async function faultAfter(change: string): Promise<string | null> {
  let fault: string | null = null
  const changing = database.sql.begin(async (tx) => {
    await tx.unsafe(change)
    await compareTables(tx, texts).catch((error: Error) => {
      fault = error.message
    })
    throw new Error(rolled_back)
  })
  await expect(changing).rejects.toThrow(rolled_back)
  return fault
}

test.each([
  'select 1',
  'create table notes (n int check (n > 0))',
  'create index payments_by_amount on payments (amount)',
  'alter table payments add column note text',
  'create view captured as select * from payments',
  "create table webhook_attempts_d1 partition of webhook_attempts for values from ('00') to ('01')",
  // An earlier release added it so.
  'alter table holds drop constraint holds_check3, add constraint holds_check3 check (decided_at is not null or rules_at is not null) not valid',
  'alter table api_keys drop column name, add column name text',
])(
  "%s: an operator's own things, the order of columns and the age of a constraint are no fault",
  async (change) => {
    expect(await faultAfter(change)).toBe(null)
  },
)

test.each<[string, string]>([
  ['drop index payments_by_time', 'the index payments_by_time of payments is missing'],
  [
    `drop index one_live_payment;
    create index one_live_payment on payments (merchant_id, session_id) where status in ('pending', 'captured', 'held')`,
    'the index one_live_payment of payments is «CREATE INDEX',
  ],
  [
    `update pg_index set indisvalid = false where indexrelid = 'payments_unhappy'::regclass`,
    'the index payments_unhappy of payments is «CREATE INDEX',
  ],
  [
    'alter table holds drop constraint holds_check2',
    'the constraint holds_check2 of holds is missing',
  ],
  [
    'alter table holds drop constraint holds_check2, add constraint holds_check2 check (decided_at is null)',
    'the constraint holds_check2 of holds is «CHECK ((decided_at IS NULL))» instead of «CHECK (((decided_at IS NULL) OR',
  ],
  [
    'alter table orphan_authorisations add constraint orphan_authorisations_check4 check (merchant_id is null)',
    'the constraint orphan_authorisations_check4 of orphan_authorisations is one too many',
  ],
  [
    'alter table passkeys drop constraint passkeys_user_id_fkey',
    'the constraint passkeys_user_id_fkey of passkeys is missing',
  ],
  ['alter table users drop column known_since', 'the column users.known_since is missing'],
  [
    'alter table users alter column tries type bigint',
    'the column users.tries is «bigint not null default 0» instead of «integer not null default 0»',
  ],
  [
    'alter table users alter column name drop not null',
    'the column users.name is «text» instead of «text not null»',
  ],
  [
    'alter table users alter column tries drop default',
    'the column users.tries is «integer not null» instead of',
  ],
  [
    'alter table payments alter column card_last4 type text collate "POSIX"',
    'the column payments.card_last4 is «text "POSIX"» instead of «text "C"»',
  ],
  [
    'alter table webhook_queue reset (fillfactor)',
    'the table webhook_queue is «r p autovacuum_vacuum_cost_delay=0,',
  ],
  [
    'alter table vault.security_codes set logged',
    'the table vault.security_codes is «r p» instead of «r u»',
  ],
  ['drop table request_log_other', 'the table request_log_other is missing'],
  ['drop table simulator.challenges', 'the table simulator.challenges is missing'],
  [
    'create or replace function webhook_id(at timestamptz, seed text) returns text language sql return seed',
    'the function webhook_id(timestamp with time zone,text) is «',
  ],
])('%s', async (change, words) => {
  expect(await faultAfter(change)).toContain(words)
})

test('many faults are counted', async () => {
  expect(await faultAfter('drop table webhook_queue')).toMatch(
    /; and \d+ more\. Nothing was changed/,
  )
})

test('payments that no job has filled yet are named', async () => {
  const payment = `set local session_replication_role = replica;
    insert into payments
      (merchant_id, payment_id, session_id, attempt_id, status, amount, currency, mode, amount_verified, created_at, card_brand)
      values ('m', 'p', 's', 'a', 'pending', 1, 'EUR', 'test', true, '2026-11-20', `
  expect(await faultAfter(`${payment}'')`)).toBe(null)
  expect(await faultAfter(`${payment}null)`)).toContain(
    'The release that served last fills them by a job',
  )
})
