// What the acquirer records otherwise of a payment: before goods are sent, and before money is given back.

import { type Difference, recordWords } from '../parts/difference.ts'

export function Differences({ differences }: { differences: Difference[] }) {
  return differences.map(recordWords).map((words) => (
    <span key={words} className="warning">
      {words}
    </span>
  ))
}
