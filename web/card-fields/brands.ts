// How the numbers of each card brand begin, how long they are and where their gaps are. The table also has brands that are not
// accepted here, so that the shopper learns it before anything is sent.

export type BrandRule = {
  brand: string
  /** Digits of a whole number, shortest first. */
  lengths: number[]
  code_length: 3 | 4
  /** The numbers of digits after which there is a space. */
  gaps: number[]
}

/** The rule of the brand whose numbers begin like this; null while several are possible. */
export function ruleOf(digits: string): BrandRule | null {
  const row = table.find(([, prefix]) => prefix.test(digits))
  if (!row) return null
  const [brand, , lengths] = row
  return {
    brand,
    lengths,
    code_length: brand === 'amex' ? 4 : 3,
    gaps: brand === 'amex' || brand === 'diners' ? [4, 10] : [4, 8, 12],
  }
}

// The first row that fits counts. The first three are exactly what the service takes: a narrower brand with numbers
// inside theirs must not come before them.
const table: [brand: string, prefix: RegExp, lengths: number[]][] = [
  ['visa', /^4/, [16, 18, 19]],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  ['amex', /^3[47]/, [15]],
  ['hipercard', /^(606282|3841[046]0|637(095|568|599|609|612))/, [16]],
  ['verve', /^(506099|5061[0-8]|50619[0-8]|6500(0[2-9]|1\d|2[0-7]))/, [16, 18, 19]],
  ['elo', /^(504175|5067|509|627780|636297|636368|6500[345]|650[4579]|6516|6550)/, [16]],
  ['diners', /^(30[0-5]|309|36|38|39)/, [14, 16, 19]],
  ['discover', /^(6011|64[4-9]|65)/, [16, 19]],
  ['jcb', /^(2131|1800|35(2[89]|[3-8]))/, [15, 16, 17, 18, 19]],
  ['mir', /^220[0-4]/, [16, 17, 18, 19]],
  ['unionpay', /^62/, [14, 15, 16, 17, 18, 19]],
  ['maestro', /^(5[06-8]|6\d)/, [12, 13, 14, 15, 16, 17, 18, 19]],
]
