// Runs the cases at a vendor's sandbox, one after the other, and writes the page about them.

import type { Wire } from '../../src/acquirers/wire.ts'
import type { Credentials } from '../../src/connections/connection.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { NotShown, openBank } from './bank.ts'
import { cardsOf } from './cards.ts'
import { casesFor } from './cases.ts'

/** `not_shown`: this vendor's sandbox has no way to show it. */
export type Verdict = { name: string; verdict: 'held' | 'differed' | 'not_shown'; words: string }

export type Rehearsal = {
  connector: KnownConnector
  credentials: Credentials
  wire: Wire
  clock: Clock
  /** 24 hex characters: the mark of this run's charges. */
  installation: string
  mintReference(): string
}

/** Every verdict is told as soon as it is known. Nothing that bears another mark is touched. */
export async function rehearse(rehearsal: Rehearsal, tell: (verdict: Verdict) => void = () => {}): Promise<Verdict[]> {
  const { connector, credentials, wire, clock, installation, mintReference } = rehearsal
  const { name } = connector
  const acquirer = connector.open!({
    name: `${name}:sandbox`,
    installation,
    wire,
    clock,
    credentials: async () => credentials,
  })
  const bank = openBank({ acquirer, cards: cardsOf[name]!, clock, installation, mintReference })
  const check = (with_credentials: Credentials) =>
    connector.check!({ credentials: with_credentials, mode: 'sandbox', wire })
  const cases = [
    {
      name: 'the credentials are taken',
      async run() {
        const answer = await check(credentials)
        if (answer.result === 'fails') throw new Error(answer.reason)
        return answer.notes.join('; ') || 'yes'
      },
    },
    {
      name: 'another key is refused',
      async run() {
        const answer = await check(withOtherKey(credentials))
        if (answer.result === 'works') throw new Error('it was taken')
        return answer.reason
      },
    },
    ...casesFor(bank),
  ]
  const verdicts: Verdict[] = []
  for (const each of cases) {
    const verdict = { name: each.name, ...(await judge(() => each.run(bank))) }
    tell(verdict)
    verdicts.push(verdict)
  }
  return verdicts
}

async function judge(run: () => Promise<string>): Promise<Omit<Verdict, 'name'>> {
  try {
    return { verdict: 'held', words: await run() }
  } catch (error) {
    const verdict = error instanceof NotShown ? 'not_shown' : 'differed'
    return { verdict, words: (error as Error).message }
  }
}

/** The same form, so that the vendor and nobody else refuses it. */
function withOtherKey(credentials: Credentials): Credentials {
  const member = 'secret_key' in credentials ? 'secret_key' : 'api_key'
  const key = String(credentials[member])
  return { ...credentials, [member]: key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') }
}

const headings = {
  differed: 'What differed',
  not_shown: 'What the sandbox cannot show',
  held: 'What held',
}

/** A page of Markdown. */
export function pageOf(verdicts: Verdict[], { name, day }: { name: string; day: string }): string {
  const part = (kind: Verdict['verdict']) => {
    const rows = verdicts.filter(({ verdict }) => verdict === kind)
    if (rows.length === 0) return []
    const cells = rows.map((each) => `| ${each.name} | ${inCell(each.words)} |`)
    return ['', `## ${headings[kind]}`, '', '| case | what came |', '|---|---|', ...cells]
  }
  const of = (kind: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === kind).length
  return [
    `# ${name}, its sandbox, ${day}`,
    '',
    `${of('held')} held, ${of('differed')} differed, ${of('not_shown')} cannot be shown there.`,
    ...(['differed', 'not_shown', 'held'] as const).flatMap(part),
    '',
  ].join('\n')
}

function inCell(words: string): string {
  return words.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 300)
}
