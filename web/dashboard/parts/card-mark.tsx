// A card as people know it: its brand and its last four digits.

const names: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'Amex',
}

export function CardMark({ card }: { card: { brand: string; last4: string } | null }) {
  if (!card) return <span className="nothing">–</span>
  return (
    <span className="card-mark">
      {names[card.brand] ?? card.brand} <span aria-hidden="true">••</span> {card.last4}
    </span>
  )
}
