// The search of the journal, its filters by the kind of action, by who and by days, and what is active with a way to drop it.

import { type FormEvent, useState } from 'react'
import { carrySecret } from '../keys/key-secret.ts'
import { idOfActor } from '../parts/actor.tsx'
import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { textsOf } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { textOf } from '../payments/search.ts'
import { say } from '../words.ts'
import { type Filters, kindNamed, kindWords } from './search.ts'

export function AuditFilters({
  filters,
  people,
  onFilters,
}: {
  filters: Filters
  /** Names by id, for an actor that the address names. */
  people: Record<string, string>
  onFilters: (filters: Filters) => void
}) {
  const { search, kind, actor } = filters
  return (
    <>
      <SearchField
        key={search ?? ''}
        search={search ?? ''}
        onSearch={(next) => onFilters({ ...filters, search: next })}
      />
      <fieldset className="chips">
        <legend className="unseen">{say('filters')}</legend>
        <select
          className={kind ? 'chip active' : 'chip'}
          aria-label={say('column_what')}
          value={kind ?? ''}
          onChange={({ target }) => onFilters({ ...filters, kind: kindNamed(target.value) })}
        >
          <option value="">{say('audit_any_kind')}</option>
          {Object.entries(kindWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words()}
            </option>
          ))}
        </select>
        {!actor && !search && (
          <select
            className={filters.by ? 'chip active' : 'chip'}
            aria-label={say('column_who')}
            value={filters.by ?? 'people'}
            onChange={({ target }) => onFilters({ ...filters, by: target.value === 'all' ? 'all' : undefined })}
          >
            <option value="people">{say('audit_by_people')}</option>
            <option value="all">{say('audit_by_all')}</option>
          </select>
        )}
        <DayChips times={filters} onTimes={(times) => onFilters({ ...filters, ...times })} />
        {search && <DropChip text={search} onDrop={() => onFilters({ ...filters, search: undefined })} />}
        {actor && (
          <DropChip
            text={people[idOfActor(actor)] ?? actor}
            onDrop={() => onFilters({ ...filters, actor: undefined })}
          />
        )}
      </fieldset>
    </>
  )
}

function SearchField({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(search)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    carrySecret(typed)
    onSearch(textOf(textsOf(event.currentTarget).search ?? ''))
  }
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          type="search"
          name="search"
          data-key="/"
          aria-label={say('audit_search')}
          placeholder={say('audit_search_hint')}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
    </search>
  )
}
