// A vendor's sandbox as the cases ask it: charges and settlements, each awaited until its outcome is known.

import type {
  Acquirer,
  AuthorisationName,
  AuthoriseAnswer,
  AuthoriseRequest,
  LookUpAnswer,
  OperationKind,
  SettleAnswer,
  SettleKind,
} from '../../src/acquirers/acquirer.ts'
import type { Clock } from '../../src/kernel/world.ts'
import type { SandboxCards } from './cards.ts'

/** The sandbox cannot show this: it is no fault. */
export class NotShown extends Error {}

export type Charge = { request: AuthoriseRequest; answer: AuthoriseAnswer; name: AuthorisationName }

export type Bank = {
  acquirer: Acquirer
  cards: SandboxCards
  clock: Clock
  installation: string
  mintReference(): string
  charge(change?: Partial<AuthoriseRequest>, number?: string): Promise<Charge>
  /** The outcome of the same request, sent once more. */
  repeat(charge: Charge): Promise<AuthoriseAnswer>
  settle(kind: SettleKind, name: AuthorisationName, amount?: number): Promise<SettleAnswer>
  lookUp(charge: Charge): Promise<LookUpAnswer>
  /** Asks again every two seconds, for two minutes. Throws where it never fits. */
  until<Answer>(ask: () => Promise<Answer>, fits: (answer: Answer) => boolean): Promise<Answer>
}

export const amount = 4200
export const currency = 'GBP'
const pause_ms = 2_000
const patience_ms = 120_000

export type BankParts = Pick<Bank, 'acquirer' | 'cards' | 'clock' | 'installation' | 'mintReference'>

export function openBank(parts: BankParts): Bank {
  const { acquirer, cards, clock, installation, mintReference } = parts

  async function until<Answer>(ask: () => Promise<Answer>, fits: (answer: Answer) => boolean): Promise<Answer> {
    const give_up_ms = clock.now().getTime() + patience_ms
    for (;;) {
      const answer = await ask()
      if (fits(answer)) return answer
      if (clock.now().getTime() >= give_up_ms) {
        throw new Error(`after ${patience_ms / 1000} s still ${JSON.stringify(answer)}`)
      }
      await clock.sleep(pause_ms)
    }
  }

  /** What became of an operation that the vendor has taken. */
  async function outcomeOf(
    kind: OperationKind,
    reference: string,
    acquirer_transaction_id: string,
    authorisation: AuthorisationName,
  ) {
    if (acquirer.learned_by === 'notice') {
      throw new NotShown('taken by the vendor; only a notice tells what became of it')
    }
    const asked = { kind, reference, acquirer_transaction_id, authorisation }
    const known = await until(
      () => acquirer.lookUp(asked),
      ({ result }) => result === 'found',
    )
    if (known.result !== 'found') throw new Error(known.result)
    return known.answer
  }

  async function send(request: AuthoriseRequest): Promise<AuthoriseAnswer> {
    const answer = await acquirer.authorise(request)
    if (answer.result !== 'under_way') return answer
    const { reference, handle } = request
    const { acquirer_transaction_id } = answer
    const name = { reference, handle, acquirer_transaction_id }
    const known = await outcomeOf('authorise', reference, acquirer_transaction_id, name)
    return known as AuthoriseAnswer
  }

  return {
    ...parts,
    until,
    async charge(change = {}, number = cards.approved) {
      const { cvc, exp_month, exp_year } = cards
      const asked: AuthoriseRequest = {
        reference: mintReference(),
        installation,
        amount,
        currency,
        capture: false,
        card: {
          brand: number.startsWith('3') ? 'amex' : number.startsWith('4') ? 'visa' : 'mastercard',
          number,
          exp_month,
          exp_year,
          cvc,
          cardholder_name: 'Ada Lovelace',
        },
        three_ds: null,
        merchant: { descriptor: 'RIPPER SANDBOX', mcc: null, country: null },
        handle: null,
        ...change,
      }
      const prepared = await acquirer.prepare?.(asked)
      const handle = prepared?.result === 'prepared' ? prepared.handle : null
      const request = { ...asked, handle }
      const answer = prepared && prepared.result !== 'prepared' ? prepared : await send(request)
      const { acquirer_transaction_id } = answer
      return {
        request,
        answer,
        name: { reference: request.reference, handle, acquirer_transaction_id },
      }
    },
    repeat: ({ request }) => send(request),
    async settle(kind, authorisation, of = amount) {
      const reference = mintReference()
      const answer = await acquirer[kind]({ reference, authorisation, amount: of, currency })
      if (answer.result !== 'accepted') return answer
      const { acquirer_transaction_id } = answer
      const known = await outcomeOf(kind, reference, acquirer_transaction_id, authorisation)
      return known as SettleAnswer
    },
    lookUp: ({ name }) => acquirer.lookUp({ kind: 'authorise', ...name, authorisation: name }),
  }
}
