// The lines of a price list, to be changed one by one.

import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { say } from '../words.ts'
import type { TypedLine } from './typed-integration.ts'

const members = ['sku', 'name', 'price', 'currency', 'tax', 'image_url'] as const
/** The members of the request that are not called like what is typed. */
const sentAs: Partial<Record<keyof TypedLine, string>> = { price: 'unit_amount', tax: 'tax_rate' }
const nothing: TypedLine = { sku: '', name: '', price: '', currency: '', tax: '', image_url: '' }

export function PriceLines({ lines, onChange }: { lines: TypedLine[]; onChange: (lines: TypedLine[]) => void }) {
  const change = (at: number, part: Partial<TypedLine>) =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  return (
    <>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
        <fieldset key={at} className="price-line">
          <legend>{say('price_line', { number: at + 1 })}</legend>
          {members.map((member) => (
            <Field
              key={member}
              label={say(`price_${member}`)}
              member={`price_list[${at}].${sentAs[member] ?? member}`}
              value={line[member]}
              autoComplete="off"
              inputMode={member === 'price' || member === 'tax' ? 'decimal' : undefined}
              required={member !== 'tax' && member !== 'image_url'}
              onChange={({ target }) => change(at, { [member]: target.value })}
            />
          ))}
          <Button size="small" onClick={() => onChange(lines.filter((_, index) => index !== at))}>
            {say('remove_line', { number: at + 1 })}
          </Button>
        </fieldset>
      ))}
      <p>
        <Button
          size="small"
          icon="plus"
          onClick={() => onChange([...lines, { ...nothing, currency: lines.at(-1)?.currency ?? '' }])}
        >
          {say('add_line')}
        </Button>
      </p>
    </>
  )
}
