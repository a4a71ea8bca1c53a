// Looks for an order of calls that respects real time and that a model allows: linearisability, by Wing and Gong, with Lowe's
// memory of what was tried. It knows nothing of payments.

export type TimedCall = {
  /** Monotonic milliseconds. */
  begin_ms: number
  /** Null where no usable answer came: what was asked for may happen at any later time, or never. */
  end_ms: number | null
}

/** What may have happened by a moment of the order. */
export type Moment<Call> = {
  /** Calls that may be taking effect: begun, and not yet put in the order. Those without an answer stay among them for ever. */
  causes: Call[]
  /** All that have begun, whatever became of them. */
  begun: Call[]
  /** The latest time that the moment can be. */
  by_ms: number
}

export type Model<State, Call extends TimedCall> = {
  initial: State
  /** The same for states between which nothing that follows can tell. */
  keyOf(state: State): string
  /** True for a call that may change something; any other only looks. */
  changes(call: Call): boolean
  /** The states that there may be after a call was answered as it was. None where that cannot be, whatever else went on. */
  after(state: State, call: Call, moment: Moment<Call>): State[]
  tell(call: Call): string
}

/** `words` say where the longest order ends, or how large what was too large is. */
export type Verdict = { verdict: 'right' } | { verdict: 'wrong' | 'not_judged'; words: string }

const steps_max = 200_000

type Place<State> = { done: bigint; count: number; state: State }

/** Judges one history. It gives up after so many steps, and says so. */
export function judge<State, Call extends TimedCall>(
  model: Model<State, Call>,
  calls: readonly Call[],
  most: number = steps_max,
): Verdict {
  const answered = calls.filter(({ end_ms }) => end_ms !== null).toSorted((one, other) => one.begin_ms - other.begin_ms)
  const silent = calls.filter((call) => call.end_ms === null && model.changes(call))
  const seen = new Set<string>()
  const places: Place<State>[] = [{ done: 0n, count: 0, state: model.initial }]
  let furthest = places[0]!
  for (let steps = 1; ; steps += 1) {
    const place = places.pop()
    if (!place) return { verdict: 'wrong', words: wordsOf(model, furthest, answered) }
    if (place.count === answered.length) return { verdict: 'right' }
    if (steps > most) {
      const words = `too large: ${answered.length} answers, ${silent.length} of unknown outcome`
      return { verdict: 'not_judged', words }
    }
    if (place.count > furthest.count) furthest = place
    for (const next of nextPlaces(model, place, { answered, silent })) {
      const key = `${next.done.toString(36)} ${model.keyOf(next.state)}`
      if (seen.has(key)) continue
      seen.add(key)
      places.push(next)
    }
  }
}

type History<Call> = { answered: Call[]; silent: Call[] }

/** What can come next in the order: whatever began before anything else that is left has ended. */
function nextPlaces<State, Call extends TimedCall>(
  model: Model<State, Call>,
  { done, count, state }: Place<State>,
  { answered, silent }: History<Call>,
): Place<State>[] {
  const left = leftOf(done, answered)
  const by_ms = Math.min(...left.map(({ call }) => call.end_ms!))
  const able = left.filter(({ call }) => call.begin_ms <= by_ms)
  const pending = able.map(({ call }) => call).filter(model.changes)
  const causes = [...silent.filter(({ begin_ms }) => begin_ms <= by_ms), ...pending]
  const begun = [...answered, ...silent].filter(({ begin_ms }) => begin_ms <= by_ms)
  const here = model.keyOf(state)
  const next: Place<State>[] = []
  for (const { call, bit } of able) {
    const states = model.after(state, call, { causes, begun, by_ms })
    const places = states.map((each) => ({ done: done | bit, count: count + 1, state: each }))
    // A look that is right as things stand may as well be taken now: it changes nothing for those that are left.
    const at_once = !model.changes(call) && places.find((each) => model.keyOf(each.state) === here)
    if (at_once) return [at_once]
    next.push(...places)
  }
  return next
}

function leftOf<Call>(done: bigint, answered: Call[]): { call: Call; bit: bigint }[] {
  return answered.flatMap((call, at) => {
    const bit = 1n << BigInt(at)
    return (done & bit) === 0n ? [{ call, bit }] : []
  })
}

const shown_max = 6

function wordsOf<State, Call extends TimedCall>(
  model: Model<State, Call>,
  { done, count, state }: Place<State>,
  answered: Call[],
): string {
  const left = leftOf(done, answered).map(({ call }) => call)
  const by_ms = Math.min(...left.map(({ end_ms }) => end_ms!))
  const able = left.filter(({ begin_ms }) => begin_ms <= by_ms).slice(0, shown_max)
  const told = able.map(
    (call) => `${model.tell(call)} (${Math.round(call.begin_ms)} to ${Math.round(call.end_ms!)} ms)`,
  )
  return `after ${count} of ${answered.length} answers it stands at ${model.keyOf(state)}, and none of these can come next: ${told.join('; ')}`
}
