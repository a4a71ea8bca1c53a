// Every way in which a call to the acquirer can go wrong: in the end both ledgers say the same, and no money moved twice.

import { afterEach, describe, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { refusal, type SessionSecret } from '../support/client.ts'
import { booksOf, eventsOf, hold, openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { type Fault, faults, hour_ms, second_ms, useStage, type Verb } from '../support/settling.ts'

const { clock, acquirer, service, account, elsewhere, settle } = await useStage()
const { client } = account

afterEach(async () => {
  acquirer.calm()
  await expectBooksAgree(service)
})

type FaultsByVerb = Partial<Record<Verb, Fault[]>>

const meet = (met: FaultsByVerb) => {
  acquirer.calm()
  for (const [verb, met_by] of Object.entries(met)) acquirer.meet(verb as Verb, ...met_by)
}
const times = (count: number, fault: Fault): Fault[] => Array(count).fill(fault)

/** For so long after now the acquirer does not find what it has. */
const hiddenFor = (seconds: number): Fault[] => {
  const until = clock.now().getTime() + seconds * second_ms
  return times(50, async (act) => (clock.now().getTime() < until ? { result: 'not_found' } : act()))
}
/** For so long after now the acquirer cannot be reached. */
const brokenFor = (hours: number): Fault[] => {
  const until = clock.now().getTime() + hours * hour_ms
  return times(200, (act) => (clock.now().getTime() < until ? faults.broken_before() : act()))
}
const found =
  (answer: object): Fault =>
  async () => ({ result: 'found', ...answer })
const approved = { result: 'approved', acquirer_transaction_id: 'another' }
const void_found = found({ kind: 'void', answer: approved })
const charge_found = found({ kind: 'authorise', answer: { ...approved, captured: true } })
const at_work: Fault = async () => ({ result: 'in_progress' })
const still_at_work: Fault = async () => ({
  result: 'refused',
  reason: 'Still under way',
  decline_code: null,
  authorisation_known: true,
})

/** The acquirer does it, and says for now that it has taken it. */
const taken =
  (result: 'under_way' | 'accepted'): Fault =>
  async (act) => {
    await act()
    return { result, acquirer_transaction_id: 'theirs' }
  }

/**
 * `end`: what the request comes to. `is_late`: the answer may be there before anybody asks. `is_accepted`: the request is
 * carried out later.
 */
type Row = {
  name: string
  met: () => FaultsByVerb
  end: 'done' | 'nowhere'
  is_late?: true
  is_accepted?: true
}

/** What can become of a request and of the looks for it; the same for charges, captures and voids. */
function rowsOf(verb: 'authorise' | 'capture' | 'void'): Row[] {
  const wrong = verb === 'authorise' ? void_found : charge_found
  const late = (name: string, met: () => FaultsByVerb): Row => ({
    name,
    met,
    end: 'done',
    is_late: true,
  })
  const lost = (name: string, looks: () => Fault[], fault: Fault = faults.lost_after): Row => ({
    name,
    end: 'done',
    met: () => ({ [verb]: [fault], lookUp: looks() }),
  })
  const nowhere = (name: string, fault: Fault, looks: Fault[] = []): Row => ({
    name,
    end: 'nowhere',
    met: () => ({ [verb]: [fault], lookUp: looks }),
  })
  return [
    late('answered late', () => ({ [verb]: [faults.answers_late] })),
    late('there late', () => ({ [verb]: [faults.arrives_late] })),
    late('answered late, and no look is answered', () => ({
      [verb]: [faults.answers_late],
      lookUp: times(9, faults.never),
    })),
    lost('lost after its effect', () => []),
    lost('broken after its effect', () => [], faults.broken_after),
    lost('never answered after its effect', () => [], faults.never_after),
    lost('asked for in vain three times', () => times(3, faults.broken_before)),
    lost('asked for in silence', () => times(3, faults.never)),
    lost('not found within the safe window', () => hiddenFor(30)),
    lost('found after it was once not found', () => hiddenFor(33)),
    lost('found as something else', () => times(5, wrong)),
    lost('under way for an hour', () => times(8, at_work)),
    ...(verb === 'authorise' ? underWay : accepted(verb)),
    nowhere('lost before its effect', faults.lost_before),
    nowhere('broken before its effect', faults.broken_before),
    nowhere('never answered', faults.never),
    nowhere('nowhere, and asked for in vain', faults.lost_before, times(4, faults.broken_before)),
    nowhere('nowhere, and found as something else', faults.lost_before, [wrong]),
  ]
}

const underWay: Row[] = [
  { name: 'under way, and found', met: () => ({ authorise: [taken('under_way')] }), end: 'done' },
  {
    name: 'under way, and for an hour',
    met: () => ({ authorise: [taken('under_way')], lookUp: times(8, at_work) }),
    end: 'done',
  },
]

/** What an acquirer has accepted is never sent again, whatever the looks for it say. */
function accepted(verb: 'capture' | 'void'): Row[] {
  const row = (name: string, looks: () => Fault[]): Row => ({
    name: `accepted, ${name}`,
    met: () => ({ [verb]: [taken('accepted'), twice], lookUp: looks() }),
    end: 'done',
    is_accepted: true,
  })
  const twice: Fault = async () => {
    throw new Error('sent again')
  }
  return [
    row('and found', () => []),
    row('and under way for an hour', () => times(8, at_work)),
    row('and not found for an hour', () => hiddenFor(3_600)),
    row('and asked for in vain', () => times(4, faults.broken_before)),
  ]
}

/** The acquirer finds the charge too late, and whatever becomes of its reversal. */
const reversals = (
  [
    ...[[], ['lost_before'], ['lost_after'], ['broken_before'], ['broken_after'], ['never']],
    ...[['never_after'], ['not_sent'], ['doubled'], ['answers_late'], ['arrives_late']],
    ['lost_before', 'not_sent', 'never_after'],
  ] as (keyof typeof faults)[][]
).map(
  (names): Row => ({
    name: `taken back, ${names.join(', ') || 'answered'}`,
    met: () => ({ authorise: [faults.lost_after], lookUp: hiddenFor(40), reverse: names.map((name) => faults[name]) }),
    end: 'nowhere',
  }),
)

const charges: Row[] = [
  ...rowsOf('authorise'),
  ...reversals,
  {
    name: 'not taken back, since it is there after all',
    met: () => ({ authorise: [faults.lost_after], lookUp: hiddenFor(40), reverse: [still_at_work] }),
    end: 'done',
  },
]

describe.each([
  ['verified', () => client.open(), 'captured'],
  ['not verified', () => openUnverified(account), 'held'],
] as const)('a charge of an amount that is %s', (_, open, paid) => {
  test.each(charges)('$name', async ({ met, end, is_late }) => {
    const session = await open()
    await client.present(session)
    meet(met())
    const { body } = await driving(clock, client.confirm(session))
    const { payment_id } = body
    const status = end === 'done' ? paid : 'failed'
    if (!is_late) {
      expect(body.status).toBe('processing')
      await expectUnknown(session, { payment_id, status: 'pending' })
      expect(await eventsOf(service, payment_id)).toEqual([])
    }
    await settle()
    const known = (await elsewhere(account).client.confirm(session)).body
    expect(known).toMatchObject({ status, payment_id })
    expect(await eventsOf(service, payment_id)).toMatchObject([{ sequence: 1, type: `payment.${status}` }])
    const books = await booksOf(service, payment_id)
    expect(!!books?.authorised_at && !books.reversed_at).toBe(end === 'done')
  })

  test.each([
    ['sent twice', faults.doubled, paid],
    ['not sent at all', faults.not_sent, 'failed'],
  ] as const)('%s: known at once', async (_, fault, status) => {
    const session = await open()
    await client.present(session)
    meet({ authorise: [fault] })
    const { body } = await client.confirm(session)
    expect(body.status).toBe(status)
    expect(await settle()).toBe(0)
    expect(await eventsOf(service, body.payment_id)).toHaveLength(1)
  })
})

async function expectUnknown(
  session: SessionSecret,
  { payment_id, status }: { payment_id: string; status: string },
): Promise<void> {
  const read = (await client.readSession(session.id)).body
  expect(read).toMatchObject({ settlement: 'awaiting_reconciliation', payment_id })
  expect((await client.readPayment(payment_id)).body.status).toBe(status)
}

describe.each([
  ['capture', 'captured', 'void', '4000009190520000'],
  ['void', 'voided', 'capture', '4000009190600000'],
] as const)('a %s', (verb, status, opposite, refused_once) => {
  const sentOnce = [...rowsOf(verb)]
  const sentAgain: Row[] = [
    {
      name: 'not found twice, though it is there',
      met: () => ({ [verb]: [faults.lost_after], lookUp: hiddenFor(40) }),
      end: 'done',
    },
    ...(['lost_before', 'lost_after', 'broken_before', 'broken_after', 'never'] as const).map(
      (name): Row => ({
        name: `sent again, ${name}`,
        met: () => ({ [verb]: [faults.lost_before, faults[name]] }),
        end: 'done',
      }),
    ),
    ...(['never_after', 'not_sent', 'doubled', 'answers_late', 'arrives_late'] as const).map(
      (name): Row => ({
        name: `sent again, ${name}`,
        met: () => ({ [verb]: [faults.never, faults[name], faults.doubled] }),
        end: 'done',
      }),
    ),
  ]

  test.each([...sentOnce, ...sentAgain])('$name', async ({ met, is_late, is_accepted }) => {
    const { session, payment_id } = await hold(account)
    meet(met())
    const first = await driving(clock, client.decideHold(verb, payment_id, `key ${payment_id}`))
    expect(first.status).toBe(is_accepted ? 202 : 200)
    if (!is_late) {
      const unknown = { status: 'held', settlement: 'awaiting_reconciliation' }
      expect(first.body).toMatchObject({ ...unknown, hold: { status: 'pending_review' } })
      await expectUnknown(session, { payment_id, status: 'held' })
      for (const each of [verb, opposite]) {
        const more = await elsewhere(account).client.decideHold(each, payment_id)
        expect(refusal(more)).toBe('409 hold_already_decided')
      }
      expect(await eventsOf(service, payment_id)).toHaveLength(1)
    }
    await settle()
    const read = (await client.readSession(session.id)).body
    expect(read).toMatchObject({ settlement: null, hold: { status, decided_by: 'merchant' } })
    expect(await eventsOf(service, payment_id)).toMatchObject([
      { sequence: 1, type: 'payment.held' },
      { sequence: 2, type: `payment.${status}` },
    ])
    const again = await elsewhere(account).client.decideHold(verb, payment_id, `key ${payment_id}`)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    const operations = await service.sql`
      select kind from acquirer_operations where payment_id = ${payment_id} and kind <> 'authorise'`
    expect(operations.map(({ kind }) => kind)).toEqual([verb])
  })

  test('not sent at all: refused, and it can be asked for again', async () => {
    const { payment_id } = await hold(account)
    meet({ [verb]: [faults.not_sent] })
    const refused = await client.decideHold(verb, payment_id, `key ${payment_id}`)
    expect(refusal(refused)).toBe('409 operation_refused')
    expect(await settle()).toBe(0)
    const second = await client.decideHold(verb, payment_id, `key ${payment_id}`)
    expect(second.body).toMatchObject({ status, hold: { operation_refusal: { kind: verb } } })
  })

  test.each([
    ['and nobody hears of it in time', faults.lost_after, 200],
    ['after it was accepted', taken('accepted'), 202],
  ] as const)('refused, %s: the hold is open again', async (_, fault, answer) => {
    const { session, payment_id } = await hold(account, refused_once)
    meet({ [verb]: [fault] })
    const asked = await client.decideHold(verb, payment_id)
    expect(asked.status).toBe(answer)
    expect(asked.body).toMatchObject({ status: 'held', settlement: 'awaiting_reconciliation' })
    await settle()
    const read = (await client.readSession(session.id)).body
    expect(read).toMatchObject({ settlement: null, hold: { status: 'pending_review' } })
    expect(read.hold.operation_refusal).toMatchObject({ kind: verb, sequence: 1 })
    expect(await eventsOf(service, payment_id)).toHaveLength(1)
    expect((await client.decideHold(opposite, payment_id)).status).toBe(200)
  })

  // Until then the acquirer could not be reached; from then on it says that it has heard of nothing.
  test.each([
    ['sent again while the acquirer knows references', 22, 2],
    ['not sent any more where it may have forgotten them', 25, 1],
  ])('is %s', async (_, hours, sends) => {
    const { payment_id } = await hold(account)
    const since = clock.now()
    const before = acquirer.calls.length
    meet({ [verb]: [faults.lost_before], lookUp: brokenFor(hours) })
    await client.decideHold(verb, payment_id)
    await settle()
    const sent = acquirer.calls.slice(before).filter((call) => call.verb === verb)
    expect(sent).toHaveLength(sends)
    expect(new Set(sent.map(({ reference }) => reference)).size).toBe(1)
    const waits = await waitForPerson(payment_id)
    expect(waits).toEqual(sends === 1 ? [verb] : [])
    if (sends > 1) return
    const last = acquirer.looks(sent[0]!.reference, since).at(-1)!
    expect(last * second_ms).toBeGreaterThanOrEqual(72 * hour_ms)
  })
})

test('a void that finds nothing to void any more is one', async () => {
  const { payment_id } = await hold(account)
  const gone: Fault = async (act) => {
    await act()
    return { result: 'refused', reason: 'No such authorisation', decline_code: null, authorisation_known: false }
  }
  meet({ void: [gone] })
  const { status, body } = await client.decideHold('void', payment_id)
  expect([status, body.status, body.hold.status]).toEqual([200, 'voided', 'voided'])
  expect(await eventsOf(service, payment_id)).toMatchObject([{}, { type: 'payment.voided' }])
})

test('a reversal that the acquirer may have forgotten waits for a person, and so does its charge', async () => {
  const session = await client.open()
  await client.present(session)
  meet({
    authorise: [faults.lost_after],
    reverse: [faults.lost_before],
    lookUp: [...hiddenFor(40).slice(0, 4), ...brokenFor(25)],
  })
  const { body } = await driving(clock, client.confirm(session))
  await settle()
  expect(acquirer.calls.filter(({ verb }) => verb === 'reverse').at(-1)).toBeDefined()
  expect((await waitForPerson(body.payment_id)).sort()).toEqual(['authorise', 'reverse'])
  await expectUnknown(session, { payment_id: body.payment_id, status: 'pending' })
})

/** The kinds of a payment's operations that wait for a person. */
async function waitForPerson(payment_id: string): Promise<string[]> {
  const rows = await service.sql<{ kind: string }[]>`select kind from acquirer_operations
    where payment_id = ${payment_id} and waits_for_person_since is not null`
  return rows.map(({ kind }) => kind)
}
