-- Decisions on holds, outcomes that nobody answered, authorisations that nobody knows, and a journal that can be checked.
-- Ids that are compared by their order are ordered by their bytes, as in 0004.

-- 1. Holds: what the merchant's rules, as they were when it was made, want of each, and the capture or void under way.

alter table holds
  -- The capture or void under way, or whose answer is missing: nothing else may be decided meanwhile.
  add column operation_id      text collate "C",
  -- Captures and voids that were sent so far; gives the next its sequence.
  add column operation_count   integer not null default 0,
  add column at_deadline       text not null default 'void' check (at_deadline in ('void', 'capture')),
  add column escalate_at       timestamptz,
  -- Its amount is below what the rules let through: they capture it, unless a person looks at it.
  add column is_below_limit    boolean not null default false,
  -- When the rules have something to do next; null once it is decided.
  add column rules_at          timestamptz,
  -- Captures and voids by the rules that were refused one after the other.
  add column rule_refusals     integer not null default 0;
update holds set rules_at = deadline where decided_at is null;
alter table holds
  alter column at_deadline drop default,
  add check (decided_at is null or (operation_id is null and rules_at is null)),
  add check (decided_at is not null or rules_at is not null);
create index holds_for_rules on holds (rules_at) where operation_id is null and rules_at is not null;
create index holds_waiting on holds (merchant_id, deadline) where decided_at is null;

-- 2. Operations: who asked, and how the search for a missing answer stands.

drop index operations_without_answer;
alter table acquirer_operations
  alter column operation_id type text collate "C",
  -- Of a capture or void: who decided.
  add column asked_by                 text check (asked_by in ('merchant', 'rules')),
  -- Of a decision that came by the API: its idempotency key, by which a retry finds it.
  add column idempotency_key          text,
  -- Of a charge in live mode: what a decline that is learned later is counted against.
  add column payer                    json,
  -- When it was sent last; later than sent_at where it had not arrived and was sent again.
  add column last_sent_at             timestamptz,
  -- Looks, one after the other, that did not find it although it had had the time to arrive.
  add column not_found_count          integer not null default 0,
  -- Since when a person has to find out what became of it. Nothing looks for it any more.
  add column waits_for_person_since   timestamptz;
update acquirer_operations set last_sent_at = sent_at,
  next_check_at = case when state in ('sent', 'unknown') then coalesce(next_check_at, answer_by) end;
alter table acquirer_operations
  alter column last_sent_at set not null,
  drop constraint acquirer_operations_state_check,
  -- `reversing`: an authorisation that was not found is being taken back, and can only end as failed.
  add constraint acquirer_operations_state_check check (state in
    ('sent', 'unknown', 'reversing', 'approved', 'declined', 'failed', 'refused', 'not_sent')),
  add check (state <> 'reversing' or kind = 'authorise'),
  add check (state in ('sent', 'unknown', 'reversing') or (next_check_at is null and waits_for_person_since is null)),
  add check ((kind in ('capture', 'void')) = (asked_by is not null));
create index operations_to_check on acquirer_operations (next_check_at)
  where state in ('sent', 'unknown', 'reversing');

-- 3. Authorisations that an acquirer holds and no payment of ours stands behind.

create table orphan_authorisations (
  acquirer         text not null,
  -- Under which the acquirer knows it.
  reference        text collate "C" not null,
  mode             text not null check (mode in ('test', 'live')),
  amount           bigint not null,
  currency         text not null,
  -- As the acquirer listed it; null where it was not listed: a person gave up what might have become of a charge.
  authorised_at    timestamptz,
  found_at         timestamptz not null,
  -- Where an operation of ours bears the reference.
  merchant_id      text,
  payment_id       text,
  -- Our reference of its reversal: of the last one, where the acquirer refused one before.
  operation_id     text collate "C" not null,
  state            text not null check (state in ('found', 'reversed', 'nothing_to_reverse', 'left')),
  tries            integer not null,
  -- When the reversal is to be tried, or whoever tries it counts as dead. Null once it is settled, while the sweep that
  -- found it goes on, and while it is held back.
  next_try_at      timestamptz,
  -- When it was held back, as one of too many that nobody here knows. It is due after that where a person released it.
  held_back_at     timestamptz,
  last_failure     text,
  settled_at       timestamptz,
  -- Of one that a person left as it is: who, and why. Kept, whatever became of it since.
  left_by          text,
  left_reason      text,
  -- Of one that a person had reversed although it was held back or left: who, and when. Kept as well.
  released_by      text,
  released_at      timestamptz,
  primary key (acquirer, reference),
  check ((state = 'found') = (settled_at is null)),
  check (state = 'found' or next_try_at is null),
  check ((left_by is null) = (left_reason is null) and (state <> 'left' or left_by is not null)),
  check ((released_by is null) = (released_at is null)),
  -- What we know is never held back.
  check (merchant_id is null or (held_back_at is null and (state <> 'found' or next_try_at is not null)))
);
create index orphans_to_reverse on orphan_authorisations (next_try_at) where state = 'found';
create index orphans_unknown on orphan_authorisations (acquirer, found_at) where merchant_id is null;

-- How far each acquirer's authorisations were gone through.
create table orphan_sweeps (
  acquirer     text primary key,
  swept_until  timestamptz not null
);

-- 4. The journal: who did it, on behalf of which session, and a chain of hashes for each merchant.

alter table journal
  alter column entry_id type text collate "C",
  -- Null for what belongs to no session, such as a key.
  add column session_id  text,
  -- `shopper`, `key key_…`, `page rip_pk_…`, `bank`, `rules`, `reconciler`, `operator`, `service`.
  add column actor       text not null default 'service';
alter table journal alter column actor drop default;
-- Lines so far are of attempts.
update journal j set session_id = a.session_id from attempts a
  where a.merchant_id = j.merchant_id and a.attempt_id = j.subject;
-- Most lines tell that a session was created, and are found by when it was: a second index would cost creates a tenth.
create index journal_by_session on journal (merchant_id, session_id, entry_id)
  where session_id is not null and change <> 'session.created';

-- Each line's place in its merchant's chain, given some seconds after it was written: a line is never changed.
create table audit_chain (
  merchant_id  text not null,
  position     bigint not null,
  entry_id     text collate "C" not null,
  -- SHA-256 of the hash before it and the line.
  hash         bytea not null,
  primary key (merchant_id, position),
  unique (merchant_id, entry_id)
);

-- Where each chain ends. Whoever extends it moves this on from where it was read, so no chain ever forks.
create table audit_heads (
  merchant_id  text primary key,
  position     bigint not null,
  hash         bytea not null
);

-- Lines are looked for at several ages, so that one which came late is found. How far those of an age were looked through.
create table audit_looks (
  merchant_id  text not null,
  age_seconds  integer not null,
  -- The ids below it.
  until        text collate "C" not null,
  primary key (merchant_id, age_seconds)
);
