// `ripper test-cards`: the card numbers of test mode, and what each does.

import { publishedGroups, refundScenarios, refusedNumbers, scenarios } from '../cards/scenarios.ts'
import { command } from './terminal/option.ts'
import { printJson, printTable } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const testCardsCommand = command({
  name: 'test-cards',
  summary: 'Prints the cards of test mode and what each does',
  options: {},
  async run({ json }) {
    if (json) {
      const refused = refusedNumbers
      printJson({ scenarios, published: publishedGroups, refused, refunds: refundScenarios })
      return
    }
    terminal().stdout.write(
      'Use any future expiry and any security code of the right length. The one-time code is 1234.\n',
    )
    for (const [subject, title] of [
      ['three_ds', '3-D Secure scenarios (the acquirer approves)'],
      ['acquirer', 'Acquirer scenarios'],
    ] as const) {
      terminal().stdout.write(`\n${title}\n\n`)
      const rows = scenarios
        .filter((scenario) => scenario.subject === subject)
        .map(({ name, numbers, expected }) => [numbers.visa, numbers.mastercard, numbers.amex, name, expected])
      printTable(['Visa', 'Mastercard', 'Amex', 'Scenario', 'What happens'], rows)
    }
    terminal().stdout.write('\nNumbers that others publish\n\n')
    printTable(
      ['Number', 'What happens'],
      publishedGroups.flatMap(({ numbers, expected }) => numbers.map((number) => [number, expected])),
    )
    terminal().stdout.write('\nRefunds, of whichever card\n\n')
    printTable(
      ['Amount ends in', 'What happens'],
      refundScenarios.map(({ amount_ends_in, expected }) => [amount_ends_in, expected]),
    )
  },
})
