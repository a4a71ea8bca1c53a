// Migrations, held to the rule of CONTRIBUTING.md: the processes of the release before go on serving beside them and after.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const folder = resolve(import.meta.dirname, '../../src/database/migrations')
const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))

/** What a statement may not do to a table that was there before, unless `-- contract:` above or in it says why it may. */
const breaks: [string, RegExp][] = [
  ['drops', /\bdrop (?!not null\b)/],
  ['renames', /\brename\b/],
  ['empties', /\btruncate\b/],
  ['changes a type', /\balter (column )?\w+ (set data )?type\b/],
  ['forbids null', /\bset not null\b/],
  ['constrains', /\badd (constraint \w+ )?(check|unique|primary key|foreign key|exclude)\b/],
  ['wants a new column filled', /\badd column (?!.*\bdefault\b).*\bnot null\b/],
  ['changes rows', /^(update|delete|merge|with)\b/],
  ['takes rights', /^revoke\b/],
]

function faultsOf(text: string): string[] {
  const bare = text
    .toLowerCase()
    .replace(/--[^\n]*|'(?:[^']|'')*'|\$\$.*?\$\$/gs, (word) =>
      /^-- contract: \S+ \S+/.test(word) ? '«exempt»' : /^--/.test(word) ? '' : "''",
    )
    .replace(/\s+/g, ' ')
  const made = new Set([...bare.matchAll(/\bcreate (?:\w+ )?table ([\w.]+)/g)].map(([, it]) => it))
  return bare.split(';').flatMap((each) => {
    const statement = each.replaceAll('«exempt»', '').trim()
    const [, table] = /^(?:alter table(?: only)?|update|delete from) ([\w.]+)/.exec(statement) ?? []
    if (each.includes('«exempt»') || made.has(table)) return []
    // Each column of one statement by itself.
    const parts = statement.split(/,? (?=add column\b)/)
    const found = breaks.filter(([, pattern]) => parts.some((part) => pattern.test(part)))
    return [...found.map(([what]) => what), ...faultsOfIndex(statement, made)]
  })
}

/** One on a table with rows can be made before, without its lock, only where the migration lets it be there already. */
function faultsOfIndex(statement: string, made: ReadonlySet<string | undefined>): string[] {
  const index = /^create (unique )?index (if not exists )?.*?\bon (?:only )?([\w.]+)/.exec(statement)
  if (!index || made.has(index[3])) return []
  return [...(index[1] ? ['constrains'] : []), ...(index[2] ? [] : ['makes an index that cannot be there before'])]
}

test.each(names)('%s lets the release before go on', (name) => {
  expect(faultsOf(readFileSync(`${folder}/${name}`, 'utf8'))).toEqual([])
})

/** What Citus refuses at a table that is spread already: each change of a constraint comes alone and has a name. */
function spreadFaultsOf(text: string): string[] {
  const bare = text
    .toLowerCase()
    .replace(/--[^\n]*|'(?:[^']|'')*'|\$\$.*?\$\$/gs, '')
    .replace(/\s+/g, ' ')
  const made = new Set([...bare.matchAll(/\bcreate (?:\w+ )?table ([\w.]+)/g)].map(([, it]) => it))
  return bare.split(';').flatMap((each) => {
    const [, table, changes] = /^ ?alter table (?:only )?([\w.]+) (.*)/.exec(each) ?? []
    if (changes === undefined || made.has(table)) return []
    const parts = changes.split(/, (?=(?:add|drop|alter|validate|rename|set)\b)/)
    const isOfConstraint = (part: string) => /^(?:add|drop|alter|validate) constraint\b/.test(part)
    return [
      ...(parts.length > 1 && parts.some(isOfConstraint) ? ['changes a constraint and more'] : []),
      ...(parts.some((part) => /^add (?:check|unique|primary|foreign|exclude)\b/.test(part))
        ? ['names no constraint']
        : []),
      ...(parts.some((part) => /^add column\b.* (?:check|unique|primary key|references|constraint)\b/.test(part))
        ? ['adds a column with a constraint']
        : []),
    ]
  })
}

test.each(names)('%s runs where its tables are spread over a cluster', (name) => {
  expect(spreadFaultsOf(readFileSync(`${folder}/${name}`, 'utf8'))).toEqual([])
})

test.each<[string, string[]]>([
  ['alter table a add column b int, add column c int not null default 0;', []],
  ['alter table a drop constraint b; alter table a add constraint b check (c in (1, 2)) not valid;', []],
  ['alter table a drop constraint b, add constraint b check (c > 0);', ['changes a constraint and more']],
  ['alter table a add column b int,\n  add constraint c check (b > 0);', ['changes a constraint and more']],
  ['alter table a add check (b > 0);', ['names no constraint']],
  ['alter table a add column b int default 1 check (b > 0), add column c int;', ['adds a column with a constraint']],
  ['alter table a add column if not exists b int references c;', ['adds a column with a constraint']],
  ["alter table a add column b text default 'check' -- check\n;", []],
  ['create table a (b int check (b > 0)); alter table a add check (b < 9);', []],
])('%s, where a is spread', (text, faults) => {
  expect(spreadFaultsOf(text)).toEqual(faults)
})

function tablesOf(text: string): string[] {
  const bare = text.toLowerCase().replace(/--[^\n]*/g, '')
  const made = new Set([...bare.matchAll(/\bcreate table ([\w.]+)/g)].map(([, table]) => table!))
  const touched = bare.matchAll(
    /\balter table (?:only )?([\w.]+)|\bcreate (?:unique )?index [^;]*?\bon (?:only )?([\w.]+)/g,
  )
  const tables = [...touched].map(([, altered, indexed]) => altered ?? indexed!)
  return [...new Set(tables)].filter((table) => !made.has(table))
}

test.each(names)('%s holds one table at most while it waits for another', (name) => {
  expect(tablesOf(readFileSync(`${folder}/${name}`, 'utf8')).length).toBeLessThan(2)
})

// The comparison of an adopted database makes the tables a second time, in a schema of another name (compare-tables.ts).
test.each(names)('%s names tables of public without their schema', (name) => {
  expect(readFileSync(`${folder}/${name}`, 'utf8')).not.toMatch(/\bpublic\./)
})

test('a table counts whether it is changed or gets an index, unless it is made there', () => {
  const text = 'alter table a add b int; create index if not exists c on d (e); create table f (g int);'
  expect(tablesOf(`${text} create index h on f (g); alter table a add i int;`)).toEqual(['a', 'd'])
})

test.each<[string, string[]]>([
  ['alter table a drop column b;', ['drops']],
  ['alter table a\n  alter column b drop default;', ['drops']],
  ['alter table a alter column b drop not null;', []],
  ['drop index a_by_b;', ['drops']],
  ['alter table a rename column b to c;', ['renames']],
  ['alter table a rename to b;', ['renames']],
  ['truncate a;', ['empties']],
  ['alter table a alter column b type text;', ['changes a type']],
  ['alter table a alter b set data type text;', ['changes a type']],
  ['alter table a alter column b set not null;', ['forbids null']],
  ['alter table a add check (b > 0);', ['constrains']],
  ['alter table a add constraint b check (c > 0);', ['constrains']],
  ['alter table a add column b text;', []],
  ["alter table a add column b text not null default 'x' check (b in ('x', 'y'));", []],
  ['alter table a add column b int not null default 0, add column c int not null;', ['wants a new column filled']],
  ['update a set b = 1;', ['changes rows']],
  ['delete from a where b;', ['changes rows']],
  ['revoke update on a from b;', ['takes rights']],
  ['create index a_by_b on a (b);', ['makes an index that cannot be there before']],
  ['create index if not exists a_by_b on a (b);', []],
  ['create unique index if not exists a_by_b on a (b);', ['constrains']],
  ["-- contract: 0.2 does not read it; it's gone since\nalter table a drop column b;", []],
  ['-- contract: nothing reads it\nalter table a drop column b; alter table c drop column d;', ['drops']],
  ['-- contract:\nalter table a drop column b;', ['drops']],
  ['create table a (b int not null, check (b > 0)); update a set b = 1; create index a_by_b on a (b);', []],
  ["insert into a values ('drop table; rename');", []],
])('%s', (text, faults) => {
  expect(faultsOf(text)).toEqual(faults)
})
