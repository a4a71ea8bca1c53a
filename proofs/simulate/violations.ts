// What was found to be wrong, each with the invariant that it breaks.

export type Invariant =
  | 'I0'
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'I5'
  | 'I6'
  | 'I7'
  | 'I8'
  | 'I9'
  | 'I10'
  | 'I11'
  | 'I12'
  | 'I13'
  | 'I14'
  | 'I15'
  | 'I16'
  | 'I17'
  | 'I18'

/** What each says. `I0` is not of the reference: no answer is a failure of ours that nothing caused. */
export const invariants: Record<Invariant, string> = {
  I0: 'no answer is a server error without a cause, and no error is logged without one',
  I1: 'a key makes one thing, and every answer under it has the same bytes',
  I2: 'what was answered is there afterwards, and stays what it was',
  I3: 'a session has at most one live payment and three attempts, and is not charged once expired',
  I4: 'an authorisation and a capture a payment at most, for its amount; captured here is captured there',
  I5: 'nothing is held or taken that no payment of ours stands behind',
  I6: 'a hold ends in exactly one way, as who decided it asked',
  I7: 'one event for an outcome, a second for a decision on a hold, and bodies that never change',
  I8: 'every event is delivered or given up on, to those who asked for it, signed now',
  I9: 'while an answer is missing no attempt is opened and nothing is captured',
  I10: 'states change along allowed edges alone, and the journal has every line in its chain',
  I11: 'once nothing goes wrong any more, all comes to rest',
  I12: 'no card number, security code or secret is told, logged or kept',
  I13: "what is another's is answered like what is not there",
  I14: 'at no moment has a shopper paid twice, nor for what was told to have failed, and nothing is undone behind them',
  I15: 'what is told and charged is what those said who may: the shop, its price list, the bank',
  I16: 'refunds never exceed the capture; one that succeeded is in the bank’s books once, and no other',
  I17: 'what does not bear our mark is never touched, and a vendor understands whatever it is asked',
  I18: 'money at a vendor is as our books say, or a person is told of it; where both agree nobody is alarmed',
}

export type Violation = { invariant: Invariant; fault: string; at_ms: number }

export type Violations = {
  add(invariant: Invariant, fault: string): void
  /** What a failover has lost: of these ids nothing is held against the service but what `insist` is told. */
  lose(names: Iterable<string>): void
  insist(invariant: Invariant, fault: string): void
  all(): readonly Violation[]
  /** How many were excused, being about what was lost. */
  excused(): number
}

export function openViolations(now: () => Date): Violations {
  const found: Violation[] = []
  const lost = new Set<string>()
  let excused = 0
  const insist = (invariant: Invariant, fault: string) => {
    found.push({ invariant, fault, at_ms: now().getTime() })
  }
  return {
    insist,
    add(invariant, fault) {
      const is_lost = () => fault.match(ids)?.some((each) => lost.has(each)) ?? false
      if (lost.size > 0 && !never_excused.has(invariant) && is_lost()) excused += 1
      else insist(invariant, fault)
    },
    lose(names) {
      for (const name of names) lost.add(name)
    },
    all: () => found,
    excused: () => excused,
  }
}

const ids = /\b(?:(?:cs|pay|att|ref)_[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{16})\b/g
/** No loss explains a failure of ours, a secret that is told, or another's that is shown. */
const never_excused = new Set<Invariant>(['I0', 'I11', 'I12', 'I13'])

/** What does not agree. */
export type Fault = [Invariant, string]

export function unless(holds: boolean, invariant: Invariant, fault: string): Fault[] {
  return holds ? [] : [[invariant, fault]]
}
