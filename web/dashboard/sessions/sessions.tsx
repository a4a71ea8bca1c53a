// Checkout sessions: what shoppers began, and where they left.

import { useLocation, useSearch } from 'wouter'
import type { SessionRow } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { SavedFilters } from '../filters/saved-filters.tsx'
import { useHere } from '../merchant.ts'
import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { StatusChips } from '../parts/status-chips.tsx'
import { say, sayCode, sayKnown } from '../words.ts'
import { type SessionFilters, sessionFiltersOf, sessionsPath, statuses } from './filters.ts'
import { keptWords } from './kept-words.ts'
import { SessionSearch } from './session-search.tsx'
import { SessionTable } from './session-table.tsx'

const rows_a_page = 50
/** One request looks at a part of the sessions only, so a search without a match goes on by itself so often. */
export const looks_max = 8

export function Sessions() {
  const here = useHere()
  const { merchant_id, mode, pathOf } = here
  const [, navigate] = useLocation()
  const filters = sessionFiltersOf(useSearch())
  const query = { mode, limit: rows_a_page, ...filters }
  const pages = usePages('GET /{merchant_id}/sessions', { merchant_id, query }, { looks_max })
  const show = (next: SessionFilters) => navigate(pathOf(sessionsPath({ ...filters, ...next })))
  const rows = pages.answer.data ?? []
  const { text, three_ds } = filters
  return (
    <Screen
      title={say('nav_sessions')}
      lead={keptWords(here)}
      acts={<SavedFilters list="sessions" screen="sessions" />}
    >
      <SessionSearch
        onText={(typed) => show({ text: typed || undefined })}
        onScreen={(path) => navigate(pathOf(path))}
      />
      <StatusChips
        statuses={statuses}
        chosen={filters.status ?? null}
        onChoose={(each) => show({ status: each ?? undefined })}
        wordsOf={(each) => sayKnown('session_filter', each) ?? sayCode('status', each)}
      >
        <DayChips to_the_minute times={filters} onTimes={show} />
        {text && <DropChip text={`“${text}”`} onDrop={() => show({ text: undefined })} />}
        {three_ds && (
          <DropChip
            text={`${say('three_ds')}: ${say(`three_ds_${three_ds}`)}`}
            onDrop={() => show({ three_ds: undefined })}
          />
        )}
      </StatusChips>
      <Loaded answer={pages.answer} rows={10}>
        {(sessions) =>
          sessions.length > 0 ? (
            <SessionTable sessions={onceEach(sessions)} />
          ) : (
            <NoSessions is_searched={!pages.has_more} is_filtered={Object.values(filters).some(Boolean)} />
          )
        }
      </Loaded>
      <LookedBack pages={pages} rows={rows.map(({ created_at }) => created_at)} rows_a_page={rows_a_page} />
      <Older pages={pages} />
    </Screen>
  )
}

/** One in which the shopper could not go on twice comes on two pages. */
function onceEach(sessions: SessionRow[]): SessionRow[] {
  return [...new Map(sessions.toReversed().map((session) => [session.id, session])).values()].toReversed()
}

function NoSessions({ is_searched, is_filtered }: { is_searched: boolean; is_filtered: boolean }) {
  if (!is_searched) return <Empty title={say('none_so_far')} />
  if (is_filtered) return <Empty title={say('no_sessions_match')} />
  return (
    <Empty title={say('no_sessions')}>
      <p>{say('no_sessions_words')}</p>
    </Empty>
  )
}
