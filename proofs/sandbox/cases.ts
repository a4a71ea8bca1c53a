// The cases that a vendor's sandbox can show, each with what has to come of it. A case returns in a few words what it saw.

import type {
  AuthorisationStanding,
  AuthoriseAnswer,
  LookUpAnswer,
  SettleAnswer,
} from '../../src/acquirers/acquirer.ts'
import { amount, type Bank, type Charge, currency, NotShown } from './bank.ts'

export type Case = { name: string; run(bank: Bank): Promise<string> }

/** The cases of charges and settlements, and one for each card that the sandbox declines. */
export function casesFor({ cards }: Pick<Bank, 'cards'>): Case[] {
  const declines = cards.declined.map(({ number, code, category, result = 'declined' }) => ({
    name: `a card that ends in ${number.slice(-4)}: ${code}, ${category}`,
    async run(bank: Bank) {
      const { answer } = await bank.charge({}, number)
      if (answer.result === 'approved') throw new Error('it was approved')
      const { decline } = answer
      const seen = `${answer.result} ${decline.code}, ${decline.category}`
      if (seen !== `${result} ${code}, ${category}`) throw new Error(seen)
      return seen
    },
  }))
  return [...charges, ...settlements, ...looks, ...declines]
}

const part_amount = 1_200

const charges: Case[] = [
  {
    name: 'a charge is approved and captured at once',
    run: async (bank) => approvedAs(await bank.charge({ capture: true }), true),
  },
  {
    name: 'a charge is approved and merely reserved',
    run: async (bank) => approvedAs(await bank.charge(), false),
  },
  {
    name: 'an approval says until when the amount is reserved',
    async run(bank) {
      if (bank.acquirer.expiryOf) throw new NotShown('no answer of the vendor says it')
      const { answer } = await bank.charge()
      if (answer.result !== 'approved') throw new Error(wordsOf(answer))
      if (!answer.expires_at) throw new Error('it does not say')
      return answer.expires_at.toISOString()
    },
  },
  {
    name: 'the same request twice is one charge',
    async run(bank) {
      const charge = await bank.charge()
      const again = await bank.repeat(charge)
      const [one, other] = [idOf(charge.answer), idOf(again)]
      if (one !== other) throw new Error(`${one}, then ${other}`)
      return one
    },
  },
  {
    name: 'an amount without minor units is charged as it is',
    async run(bank) {
      const yen = { amount: 500, currency: 'JPY' }
      const { answer } = await bank.charge(yen)
      if (answer.result !== 'approved') throw new Error(wordsOf(answer))
      if (answer.amount !== yen.amount || answer.currency !== yen.currency) {
        throw new Error(`approved ${answer.amount} ${answer.currency}`)
      }
      return `approved ${answer.amount} ${answer.currency}`
    },
  },
  {
    name: 'a made-up result of 3-D Secure is taken along',
    async run(bank) {
      const three_ds = {
        version: '2.2.0',
        eci: '05',
        status: 'Y',
        ares_status: 'Y',
        authentication_value: Buffer.alloc(20, 7).toString('base64'),
        ds_transaction_id: 'f38e6948-5388-41a6-bca4-b49723c19437',
      }
      return approvedAs(await bank.charge({ three_ds }), false)
    },
  },
]

const settlements: Case[] = [
  {
    name: 'what is reserved is captured',
    run: async (bank) => done(await bank.settle('capture', (await held(bank)).name)),
  },
  {
    name: 'what is reserved is voided',
    run: async (bank) => done(await bank.settle('void', (await held(bank)).name)),
  },
  {
    name: 'what is reserved is reversed',
    run: async (bank) => done(await bank.settle('reverse', (await held(bank)).name)),
  },
  {
    name: 'what was voided is not captured',
    async run(bank) {
      const { name } = await held(bank)
      done(await bank.settle('void', name))
      return refusal(await bank.settle('capture', name))
    },
  },
  {
    name: 'a capture is refunded in two parts, and no third',
    async run(bank) {
      const { name } = await captured(bank)
      done(await bank.settle('refund', name, 1_100))
      done(await bank.settle('refund', name, amount - 1_100))
      return refusal(await bank.settle('refund', name, 100))
    },
  },
  {
    name: 'a part is captured, and what that frees is no refund',
    async run(bank) {
      const charge = await held(bank)
      done(await bank.settle('capture', charge.name, part_amount))
      const standing = await standingOf(bank, charge)
      const { state, amount: taken, refunded_amount = 0 } = standing
      const seen = `${state} ${taken}, refunded ${refunded_amount}`
      if (seen !== `captured ${part_amount}, refunded 0`) throw new Error(seen)
      return seen
    },
  },
  {
    name: 'a part is captured once',
    async run(bank) {
      const { name } = await held(bank)
      done(await bank.settle('capture', name, part_amount))
      return refusal(await bank.settle('capture', name, part_amount))
    },
  },
  {
    name: 'of a captured part no more than it is refunded',
    async run(bank) {
      const { name } = await held(bank)
      done(await bank.settle('capture', name, part_amount))
      const refused = refusal(await bank.settle('refund', name, part_amount + 1))
      done(await bank.settle('refund', name, part_amount))
      return refused
    },
  },
  {
    name: 'more than is reserved is not captured',
    run: async (bank) => refusal(await bank.settle('capture', (await held(bank)).name, amount + 1)),
  },
  {
    name: 'what is captured is reversed',
    run: async (bank) => done(await bank.settle('reverse', (await captured(bank)).name)),
  },
]

const looks: Case[] = [
  {
    name: 'a charge is found by its reference, as it stands',
    async run(bank) {
      const charge = await held(bank)
      const name = { ...charge.name, acquirer_transaction_id: null }
      const standing = await standingOf(bank, { ...charge, name })
      if (standing.state !== 'reserved') throw new Error(JSON.stringify(standing))
      return 'reserved'
    },
  },
  {
    name: 'a reference that never arrived is not found',
    async run(bank) {
      const reference = bank.mintReference()
      const name = { reference, handle: null, acquirer_transaction_id: null }
      const asked = { kind: 'authorise' as const, reference, authorisation: name }
      const { result } = await bank.acquirer.lookUp({ ...asked, acquirer_transaction_id: null }).then(shown)
      if (result !== 'not_found') throw new Error(result)
      return result
    },
  },
  {
    name: 'what was approved is listed, with our mark',
    async run({ acquirer, clock, until, installation, ...bank }) {
      if (!acquirer.lists) throw new NotShown('the vendor has no list')
      const since = new Date(clock.now().getTime() - 60_000)
      const { request } = await bank.charge()
      const list = async () => {
        const all = await acquirer.listAuthorisations({ since, until: clock.now() })
        return all.find(({ reference }) => reference === request.reference) ?? null
      }
      const listed = await until(list, (found) => found !== null)
      if (listed!.installation !== installation) throw new Error('it is listed without our mark')
      return 'listed'
    },
  },
]

/** As a look by its reference shows it. */
async function standingOf(bank: Bank, charge: Charge): Promise<AuthorisationStanding> {
  const found = await bank.until(
    () => bank.lookUp(charge).then(shown),
    ({ result }) => result === 'found',
  )
  if (found.result === 'found' && found.kind === 'authorise' && found.standing) return found.standing
  throw new Error(found.result)
}

async function held(bank: Bank): Promise<Charge> {
  const charge = await bank.charge()
  approvedAs(charge, false)
  return charge
}

async function captured(bank: Bank): Promise<Charge> {
  const charge = await held(bank)
  done(await bank.settle('capture', charge.name))
  return charge
}

function approvedAs({ answer }: Charge, is_captured: boolean): string {
  if (answer.result !== 'approved') throw new Error(wordsOf(answer))
  if (answer.amount !== amount || answer.currency !== currency) {
    throw new Error(`approved ${answer.amount} ${answer.currency}`)
  }
  const seen = answer.captured ? 'approved and captured' : 'approved'
  if (answer.captured !== is_captured) throw new Error(seen)
  return seen
}

function idOf(answer: AuthoriseAnswer): string {
  if (answer.result === 'approved') return answer.acquirer_transaction_id
  throw new Error(wordsOf(answer))
}

function done(answer: SettleAnswer): string {
  if (answer.result === 'approved') return 'done'
  throw new Error(`refused: ${answer.decline_code ?? answer.reason}`)
}

function refusal(answer: SettleAnswer): string {
  if (answer.result === 'refused') return `refused: ${answer.decline_code ?? answer.reason}`
  throw new Error('it was done')
}

function shown(answer: LookUpAnswer): LookUpAnswer {
  if (answer.result === 'only_notices_tell') throw new NotShown('only notices tell')
  return answer
}

function wordsOf(answer: AuthoriseAnswer): string {
  if (answer.result === 'approved') return 'approved'
  const { code, reason } = answer.decline
  return `${answer.result} ${code}: ${reason}`
}
