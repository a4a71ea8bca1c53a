// A card as people know it: its brand and its last four digits.

type Card = { brand: string; last4: string }

const names: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'Amex',
}

export function cardWords({ brand, last4 }: Card): string {
  return `${names[brand] ?? brand} •• ${last4}`
}

export function CardMark({ card }: { card: Card | null }) {
  if (!card) return <span className="nothing">–</span>
  return (
    <span className="card-mark">
      {names[card.brand] ?? card.brand} <span aria-hidden="true">••</span> {card.last4}
    </span>
  )
}
