// What a checkout says of the card and of the shopper's browser when it authenticates.

import { z } from 'zod'
import type { Caller } from '../../http/access.ts'
import { languageFor } from '../../kernel/words.ts'
import { must } from '../fields.ts'

const fraction = (words: string) => z.number(must(words)).min(0, must(words)).max(1_000_000, must(words))

export const authenticateBody = z
  .strictObject({
    card_reference: z.string(must('be a card reference')).max(40, must('be a card reference')),
    browser: z.strictObject(
      {
        language: z.string(must('be text')).min(1, must('not be empty')).max(100, must('be a language tag')),
        color_depth: fraction('be a number of bits'),
        screen_height: fraction('be a number of pixels'),
        screen_width: fraction('be a number of pixels'),
        time_zone_offset: z.number(must('be minutes')).min(-1000, must('be minutes')).max(1000, must('be minutes')),
        java_enabled: z.boolean(must('be true or false')).nullish(),
        javascript_enabled: z.boolean(must('be true or false')),
      },
      must('be an object'),
    ),
    challenge_window_size: z.enum(['01', '02', '03', '04', '05'], must('be 01, 02, 03, 04 or 05')).nullish(),
  })
  .meta({
    title: 'AuthenticateRequest',
    note: 'The body that opens an attempt: a card reference, and what banks want to know of the browser.',
  })
export type AuthenticateBody = z.output<typeof authenticateBody>

/** Such a tag is some ten characters long; a longer one stands for a language that we write without it. */
const locale_length_max = 35

/** The language of receipts: the checkout's, which our scripts send as `Accept-Language`, else the browser page's. */
export function localeOf({ browser }: AuthenticateBody, caller: Pick<Caller, 'header'>): string {
  const languages = `${caller.header('accept-language') ?? ''},${browser.language};q=0.001`
  const { locale } = languageFor(null, languages)
  return locale.length > locale_length_max ? new Intl.Locale(locale).language : locale
}
