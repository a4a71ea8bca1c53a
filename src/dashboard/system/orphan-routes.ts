// What operators decide for the whole installation: orphans, the brake, and findings of a comparison. The commands do the same.

import { z } from 'zod'
import { installation_id } from '../../audit/journal.ts'
import { insertLine } from '../../audit/journal-store.ts'
import type { AnySql } from '../../database/open.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { noControls } from '../../kernel/values.ts'
import { listComparisons } from '../../payments/acquirer-comparison/comparison-store.ts'
import { viewComparison, viewFinding } from '../../payments/acquirer-comparison/comparison-views.ts'
import { closeFindings, listFindings } from '../../payments/acquirer-operations/finding-store.ts'
import type { Context } from '../../payments/context.ts'
import { every_acquirer } from '../../payments/orphan.ts'
import { leaveUnreversed, type OrphanDecisions, reverseHeldBack } from '../../payments/orphans/decide-orphans.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../payments/orphans/orphan-brake-store.ts'
import { listOrphans } from '../../payments/orphans/orphan-decision-store.ts'
import { countUnsettled, listSweeps } from '../../payments/orphans/orphan-store.ts'
import { viewBrake, viewOrphan, viewSweep } from '../../payments/orphans/orphan-views.ts'
import { findUnswept } from '../../payments/orphans/unswept.ts'
import type { Person } from '../../users/member.ts'
import { lockOperator } from '../../users/rights.ts'
import { signedInOperator } from '../../users/signed-in.ts'
import { authorOf, type Sender } from '../../users/start-session.ts'
import { personLine } from '../../users/user-journal.ts'
import { brakeView, comparisonView, findingView, orphanView } from './operator-views.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const }
const grave = {
  ...shared,
  method: 'POST' as const,
  access: signedInOperator({ gravity: 'grave' }),
}
/** There are seldom more than a few. */
const shown_max = 200
const named_max = 200

const reason = z.string().trim().min(1).max(200).regex(noControls, 'must be one line')
const references = z
  .array(z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal characters'))
  .min(1)
  .max(named_max)
const acquirer = z.string().max(100).nullable().meta({ description: 'null for every acquirer' })
const decisionsView = z.object({
  changed: z.int(),
  /** Those that stayed as they were, with the state that they have; null where there is none of the reference. */
  unchanged: z.array(z.object({ reference: z.string(), state: z.string().nullable() })),
})

export const listOrphansHere = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/system/orphans',
  summary: 'Authorisations without a payment, the brakes, and differences from the books of acquirers',
  access: signedInOperator(),
  status: 200,
  reply: z.object({
    due: z.int(),
    unreversed: z.int(),
    held_back: z.int(),
    has_more: z.boolean(),
    orphans: z.array(orphanView),
    brakes: z.array(brakeView),
    sweeps: z.array(z.object({ acquirer: z.string(), swept_until: z.string() })),
    acquirers: z.array(z.string()),
    /** Those of them that list nothing, so that no sweep can go through them. */
    unlisted: z.array(z.string()),
    findings: z.array(findingView),
    comparisons: z.array(comparisonView),
  }),
  refusals: [],
  handle: async ({ sql, listAcquirers }: Context, { now }) => {
    const all = { acquirer: null, limit: shown_max + 1 }
    const [found, findings, counts, brakes, sweeps, comparisons, acquirers] = await Promise.all([
      listOrphans(sql, { ...all, settled_too: false }),
      listFindings(sql, { ...all, closed_too: false }),
      countUnsettled(sql, { acquirer: null, now }),
      listBrakes(sql, { acquirer: null, released_too: false }),
      listSweeps(sql, null),
      listComparisons(sql),
      listAcquirers(),
    ])
    return {
      ...counts,
      has_more: found.length > shown_max || findings.length > shown_max,
      orphans: found.slice(0, shown_max).map((orphan) => viewOrphan(orphan, now)),
      brakes: brakes.map(viewBrake),
      sweeps: sweeps.map(viewSweep),
      acquirers: acquirers.map((each) => each.acquirer.name),
      unlisted: acquirers.flatMap(({ acquirer }) => (acquirer.lists ? [] : [acquirer.name])),
      findings: findings.slice(0, shown_max).map(viewFinding),
      comparisons: comparisons.map(viewComparison),
    }
  },
})

export const reverseOrphansHere = route({
  where: 'whole',
  ...grave,
  path: '/dashboard/api/system/orphans/reverse',
  summary: 'Let the service reverse authorisations that are held back: the money goes back',
  body: z.strictObject({ references }),
  status: 200,
  reply: decisionsView,
  refusals: [],
  handle: async (context: Context, { holder, body, ...sender }) =>
    noted(context, holder, sender, { change: 'orphans.released', detail: body }, async (sql) => {
      const which = { references: body.references, acquirer: null }
      return viewDecisions(await reverseHeldBack({ ...context, sql }, which, deciderOf(holder)))
    }),
})

export const leaveOrphansHere = route({
  where: 'whole',
  ...grave,
  path: '/dashboard/api/system/orphans/leave',
  summary: 'Decide that authorisations are never reversed: the acquirer keeps them',
  body: z.strictObject({ references, reason }),
  status: 200,
  reply: decisionsView,
  refusals: [],
  handle: async (context: Context, { holder, body, ...sender }) =>
    noted(context, holder, sender, { change: 'orphans.left', detail: body }, async (sql) => {
      const which = { references: body.references, acquirer: null }
      const why = { ...deciderOf(holder), reason: body.reason }
      return viewDecisions(await leaveUnreversed({ ...context, sql }, which, why))
    }),
})

export const pullBrakeHere = route({
  where: 'whole',
  ...grave,
  path: '/dashboard/api/system/brake/pull',
  summary: 'Pull the brake: unknown authorisations are found, and not reversed',
  body: z.strictObject({ acquirer, reason }),
  status: 200,
  reply: z.object({ is_new: z.boolean(), held_back: z.int() }),
  refusals: [],
  handle: async (context: Context, { holder, body, now, ...sender }) => {
    await refuseUnknown(context, body.acquirer)
    const brake = {
      acquirer: body.acquirer ?? every_acquirer,
      reason: body.reason,
      pulled_at: now,
      pulled_by: holder.session.email,
      released_at: null,
      released_by: null,
    }
    const told = { change: 'brake.pulled', detail: body }
    return noted(context, holder, sender, told, (sql) => pullBrake(sql, brake))
  },
})

export const releaseBrakeHere = route({
  where: 'whole',
  ...grave,
  path: '/dashboard/api/system/brake/release',
  summary:
    'Release the brakes that are pulled; refused until every acquirer was swept since, and where one has no list',
  body: z.strictObject({ acquirer, anyway: z.boolean() }),
  status: 200,
  reply: z.object({ released: z.int(), held_back: z.int() }),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, body, now, ...sender }) => {
    await refuseUnknown(context, body.acquirer)
    const listed = await listBrakes(context.sql, { ...body, released_too: false })
    const brakes = listed.filter((brake) => body.acquirer === null || brake.acquirer === body.acquirer)
    const unswept = body.anyway ? null : await findUnswept(context, brakes)
    if (unswept) {
      const names = unswept.unlisted.join(', ')
      const words = names
        ? `Nobody but you can go through ${names}, which lists nothing: compare its payments in its portal, then release the brake anyway.`
        : 'Not every acquirer was gone through since the brake was pulled: what is found later may be reversed. Wait some minutes, or release it anyway.'
      throw new Refusal('invalid_request', words, {
        field: 'anyway',
        fault: names ? 'unlisted' : 'unswept',
        ...(names && { members: { acquirers: names } }),
      })
    }
    const end = { brakes, at: now, by: holder.session.email }
    const told = { change: 'brake.released', detail: body }
    const released = await noted(context, holder, sender, told, (sql) => releaseBrakes(sql, end))
    const { held_back } = await countUnsettled(context.sql, { acquirer: body.acquirer, now })
    return { released: released.length, held_back }
  },
})

export const closeFindingsHere = route({
  where: 'whole',
  ...grave,
  path: '/dashboard/api/system/findings/close',
  summary: 'Close differences that a person has looked at; it changes nothing else',
  body: z.strictObject({ references: z.array(z.string().max(100)).min(1).max(named_max), reason }),
  status: 200,
  reply: z.object({ closed: z.int() }),
  refusals: [],
  handle: async (context: Context, { holder, body, now, ...sender }) => {
    const which = { acquirer: null, references: body.references }
    const why = { at: now, by: holder.session.email, reason: body.reason }
    const told = { change: 'findings.closed', detail: body }
    const closed = await noted(context, holder, sender, told, (sql) => closeFindings(sql, which, why))
    return { closed: closed.length }
  },
})

/** The act and its line, in one transaction. It concerns no merchant, so the line is the installation's. */
async function noted<T>(
  context: Context,
  person: Person,
  sender: Sender,
  { change, detail }: { change: string; detail: object },
  act: (sql: AnySql) => Promise<T>,
): Promise<T> {
  return context.sql.begin(async (tx) => {
    await lockOperator(tx, person)
    const done = await act(tx)
    // Not about the operator: merchants see what is, of their members.
    const told = { subject: installation_id, change, detail, at: context.world.clock.now() }
    await insertLine(tx, personLine(context, authorOf(person.user_id, sender), told))
    return done
  }) as Promise<T>
}

function deciderOf({ session, user_id }: Person) {
  return { by: session.email, actor: `user ${user_id}` as const }
}

function viewDecisions({ changed, unchanged }: OrphanDecisions) {
  return { changed: changed.length, unchanged }
}

/** A misspelt name would hold back nothing. */
async function refuseUnknown({ listAcquirers }: Context, name: string | null): Promise<void> {
  const known = (await listAcquirers()).map((each) => each.acquirer.name)
  if (name === null || known.includes(name)) return
  throw new Refusal('invalid_request', 'acquirer is not known.', { field: 'acquirer' })
}
