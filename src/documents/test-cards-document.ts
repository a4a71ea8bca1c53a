// The page of all test cards, from the table that `ripper test-cards` prints.

import { publishedGroups, refundScenarios, refusedNumbers, type Scenario, scenarios } from '../cards/scenarios.ts'

/** The text of docs/test-cards.md. */
export function testCardsDocument(): string {
  return `# Test cards

In test mode these numbers decide what the bank and the acquirer answer. No other card is taken, and no money moves. Use any later expiry
date and any security code of the right length. The bank's one-time code is \`1234\`. To begin with, \`4242 4242 4242 4242\` pays at once.
Each scenario has a Mastercard and an American Express as well: \`npx ripper test-cards\` prints them all (\`--json\` for programs). In test mode the
card fields have a list to click. \`npm run docs\` makes this page from the code.

## Every outcome

What happens after the bank's check passes. A \`soft\` decline lets the shopper try again, three times in all;
\`fraud\` ends the session.

${scenarioTable('acquirer')}
## 3-D Secure

What the card's bank answers. Where the payment goes on, the acquirer approves it. \`on_3ds_unavailable\` is a rule of
the integration, which \`ripper integration update\` sets.

${scenarioTable('three_ds')}
## Numbers that others publish

${table(
  ['what happens', 'numbers'],
  publishedGroups.map(({ numbers, expected }) => [expected, numbers.map(spaced).join(', ')]),
)}
The card fields refuse these as they are typed:

${table(
  ['number', 'because'],
  refusedNumbers.map(({ number, reason }) => [spaced(number), reason]),
)}
## Refunds

The amount of a refund decides, whichever card paid:

${table(
  ['amount ends in', 'what happens'],
  refundScenarios.map(({ amount_ends_in, expected }) => [`\`${amount_ends_in}\``, expected]),
)}`
}

function scenarioTable(subject: Scenario['subject']): string {
  return table(
    ['scenario', 'Visa', 'what happens'],
    scenarios
      .filter((scenario) => scenario.subject === subject)
      .map(({ name, numbers, expected }) => [name, `\`${numbers.visa}\``, expected]),
  )
}

function table(headings: string[], rows: string[][]): string {
  return [headings, headings.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')
}

const spaced = (number: string) => `\`${number.replace(/(.{4})(?=.)/g, '$1 ')}\``
