// The scripts that run before anything is installed, each in a small project of its own with a play-acted npm.

import { type SpawnOptions, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(`${tmpdir()}/ripper-scripts-`)
  for (const part of ['scripts', 'bin']) {
    cpSync(`${repository}${part}`, `${root}/${part}`, { recursive: true })
  }
  write('package.json', JSON.stringify({ name: 'ripper', type: 'module' }))
  lockFile('1.0.0')
  write('npm.js', npm)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

/** The package that brings Node to this system. */
const own_node = Object.keys(JSON.parse(readFileSync(`${repository}package.json`, 'utf8')).optionalDependencies).find(
  (name) => name.endsWith(`-${process.platform}-${process.arch}`),
)!

const npm = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
const [act, ...options] = process.argv.slice(2)
appendFileSync('npm.log', [act, ...options].join(' ') + '\\n')
if (existsSync('npm-fails')) { console.error('npm says no'); process.exit(9) }
if (act === 'ci') rmSync('node_modules', { recursive: true, force: true })
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const omits = (kind) => options.includes('--omit=' + kind)
const kept = Object.entries(packages).filter(
  ([path, { dev, optional, os }]) =>
    path !== '' && !(dev && omits('dev')) && !(optional && (omits('optional') || os[0] !== process.platform)))
for (const [path] of kept) {
  mkdirSync(path + '/bin', { recursive: true })
  writeFileSync(path + '/package.json', JSON.stringify({ bin: { node: 'bin/node' } }))
}
const node = 'node_modules/${own_node}/bin/node'
if (existsSync('foreign-node')) writeFileSync(node, '#!/no/such/loader', { mode: 0o755 })
else if (!omits('optional') && !existsSync(node)) symlinkSync(process.execPath, node)
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(kept) }))
`

function lockFile(version: string): void {
  const packages = {
    '': { name: 'ripper' },
    'node_modules/a': { version },
    'node_modules/b': { version, dev: true },
    'node_modules/other-system': { version, optional: true, os: ['other'], cpu: ['other'] },
    [`node_modules/${own_node}`]: { version, optional: true, os: [process.platform], cpu: [process.arch] },
  }
  write('package-lock.json', JSON.stringify({ packages }))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(`${root}/${path}`), { recursive: true })
  writeFileSync(`${root}/${path}`, text)
}

/** What npm was called with, a line each time. */
function calls(): string[] {
  if (!existsSync(`${root}/npm.log`)) return []
  return readFileSync(`${root}/npm.log`, 'utf8').trimEnd().split('\n')
}

type Outcome = { status: number | null; out: string; lines: string[] }

function start(args: string[], env: Record<string, string> = {}, options: SpawnOptions = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, npm_execpath: `${root}/npm.js`, npm_lifecycle_event: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  let out = ''
  const seen = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      out += chunk
      for (const look of seen) look()
    })
  }
  const ended = new Promise<Outcome>((resolve) => {
    child.on('close', (status) => resolve({ status, out, lines: out.trimEnd().split('\n') }))
  })
  const says = (words: string) =>
    new Promise<void>((resolve) => {
      const look = () => out.includes(words) && resolve()
      seen.add(look)
      look()
    })
  return { child, ended, says }
}

const run = (args: string[], env = {}) => start(args, env).ended
const setup = (env = {}) => run(['scripts/setup.mjs'], env)
const for_tests = { npm_lifecycle_event: 'pretest' }

describe('the set-up', () => {
  test('installs what is missing, says so in one line, and then is silent', async () => {
    expect(await setup()).toMatchObject({ status: 0, lines: [expect.stringContaining('npm ci')] })
    expect(await setup()).toMatchObject({ status: 0, out: '' })
    expect(calls()).toHaveLength(1)
    expect(readlinkSync(`${root}/node_modules/.bin/ripper`)).toBe('../../bin/ripper.mjs')
    // It is the data folder, and may be another user's.
    expect(existsSync(`${root}/.ripper`)).toBe(false)
  })

  test('runs a script with the Node that it has installed, and ends as that does', async () => {
    write(
      'scripts/probe.mjs',
      "import { writeFileSync } from 'node:fs'\nwriteFileSync('node', process.argv0)\nprocess.exit(7)",
    )
    expect((await run(['scripts/setup.mjs', 'scripts/probe.mjs'])).status).toBe(7)
    const node = readFileSync(`${root}/node`, 'utf8')
    expect(node).toBe(`${root}/node_modules/${own_node}/bin/node`)
  })

  test('is followed by no Node in the same line, where a shell remembers the older one', () => {
    const { scripts } = JSON.parse(readFileSync(`${repository}package.json`, 'utf8'))
    const lines = Object.values<string>(scripts).filter((line) => line.includes('setup.mjs'))
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.includes('&&'))).toEqual([])
  })

  test('installs again when the lock file is another', async () => {
    await setup()
    lockFile('2.0.0')
    await setup()
    expect(calls()).toHaveLength(2)
  })

  test.each([
    ['nothing', [], for_tests, 0],
    ['the tests', ['--omit=dev'], {}, 0],
    ['the tests', ['--omit=dev'], for_tests, 1],
    ['what this system needs', ['--omit=optional'], {}, 1],
  ])('takes what was installed by hand, without %s', async (_, omitted, env, more) => {
    await run(['npm.js', 'ci', ...omitted])
    const { lines } = await setup(env)
    expect(lines.filter((line) => line !== '')).toHaveLength(more)
    expect(calls()).toHaveLength(1 + more)
    expect(await setup(env)).toMatchObject({ out: '' })
  })

  test.each([
    ['npm start', { npm_lifecycle_event: 'prestart' }, false],
    ['npm pack', { npm_lifecycle_event: 'prepack' }, false],
    ['npx ripper', {}, false],
    ['npm test', for_tests, true],
    ['npm run docs', { npm_lifecycle_event: 'predocs' }, true],
  ])('%s installs development packages only where it needs them', async (_, env, needs_dev) => {
    await setup(env)
    expect(existsSync(`${root}/node_modules/b`)).toBe(needs_dev)
    expect(existsSync(`${root}/node_modules/a`)).toBe(true)
  })

  test('adds what the tests need, removes nothing, and goes back and forth at no cost', async () => {
    await setup()
    write('node_modules/in-use', '')
    for (const env of [for_tests, {}, for_tests, {}]) await setup(env)
    expect(calls().map((line) => line.split(' ')[0])).toEqual(['ci', 'install'])
    expect(existsSync(`${root}/node_modules/in-use`)).toBe(true)
    expect(existsSync(`${root}/node_modules/b`)).toBe(true)
  })

  test('runs no script of a package, and leaves the lock file as it is', async () => {
    await setup()
    await setup(for_tests)
    expect(calls()).toHaveLength(2)
    for (const line of calls()) expect(line).toMatch(/^(ci|install --no-save) .*--ignore-scripts\b/)
  })

  test('refuses a Node that does not run here, by name', async () => {
    write('foreign-node', '')
    const { status, out } = await setup()
    expect(status).toBe(1)
    expect(out).toMatch(new RegExp(`${own_node}/bin/node does not run on this system: .*glibc`))
  })

  test('installs once when it is run several times at once', async () => {
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => setup()))
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0, 0])
    expect(calls()).toHaveLength(1)
  })

  test('goes on where one that was killed has left its lock', async () => {
    const dead = start(['-e', ''])
    await dead.ended
    write('dist/setup.lock/pid', String(dead.child.pid))
    expect(await setup()).toMatchObject({ status: 0 })
    expect(existsSync(`${root}/dist/setup.lock`)).toBe(false)
  })

  test('shows why npm failed, and can be run again', async () => {
    write('npm-fails', '')
    const failed = await setup()
    expect(failed.status).toBe(1)
    expect(failed.out).toContain('npm says no')
    expect(failed.out).toContain('status 9')
    rmSync(`${root}/npm-fails`)
    expect(await setup()).toMatchObject({ status: 0 })
  })
})

describe('the command', () => {
  const main = `
const [what, ...rest]: string[] = process.argv.slice(2)
process.stdout.write(JSON.stringify(rest) + '\\n')
if (what === 'exit') process.exit(Number(rest[0]))
if (what === 'wait') {
  let times = 0
  process.on('SIGINT', () => {
    times += 1
    setTimeout(() => { process.stdout.write('times ' + times); process.exit(5) }, 200)
  })
  setInterval(() => {}, 1000)
  process.stdout.write('ready\\n')
}`

  test('sets up, passes its arguments and its status on', async () => {
    write('src/cli/main.ts', main)
    const outcome = await run(['bin/ripper.mjs', 'exit', '3', '--x=a b'])
    expect(outcome.status).toBe(3)
    expect(outcome.lines.at(-1)).toBe('["3","--x=a b"]')
  })

  describe.each([[['serve', '--help']], [['-h']], [['help', 'key']], [['--version']]])('for %j', (args) => {
    test('installs and removes nothing, whatever is there', async () => {
      write('src/cli/main.ts', 'export const main = async (args) => console.log(JSON.stringify(args)) ?? 0')
      // Copied from elsewhere, with what the tests need.
      write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }))
      write('node_modules/b/package.json', '{}')
      const { status, lines } = await run(['bin/ripper.mjs', ...args])
      expect([status, lines.at(-1)]).toEqual([0, JSON.stringify(args)])
      expect(calls()).toEqual([])
      expect(existsSync(`${root}/node_modules/b/package.json`)).toBe(true)
    })

    test('says so where nothing is installed', async () => {
      write('src/cli/main.ts', main)
      const { status, out } = await run(['bin/ripper.mjs', ...args])
      expect([status, out]).toEqual([1, expect.stringContaining('help installs nothing')])
      expect([calls(), existsSync(`${root}/node_modules`)]).toEqual([[], false])
    })
  })

  test('refuses when the set-up fails', async () => {
    write('src/cli/main.ts', main)
    write('npm-fails', '')
    const outcome = await run(['bin/ripper.mjs', 'exit', '0'])
    expect(outcome.status).toBe(1)
    expect(outcome.out).not.toContain('[')
  })

  const under = (args: string[], program = 'src/cli/main.ts') => {
    write('src/cli/main.ts', main)
    const all = JSON.stringify([program, ...args])
    write(
      'under.mjs',
      `import { runUnder } from './scripts/run-under.mjs'
runUnder(process.execPath, ${all})`,
    )
    return start(['under.mjs'], {}, { detached: true })
  }

  test.each([
    [['exit', '4'], 4],
    [['exit', '0'], 0],
  ])('under another Node, %j ends with its status', async (args, status) => {
    expect((await under(args).ended).status).toBe(status)
  })

  test('under another Node, a Ctrl-C comes to it once, from terminal and npm together', async () => {
    const { child, ended, says } = under(['wait'])
    await says('ready')
    process.kill(-child.pid!, 'SIGINT')
    process.kill(child.pid!, 'SIGINT')
    const { status, lines } = await ended
    expect({ status, last: lines.at(-1) }).toEqual({ status: 5, last: 'times 1' })
  })

  test('under another Node that is killed, the command ends as well', async () => {
    const { child, ended, says } = under(['wait'], 'bin/ripper.mjs')
    await says('ready')
    process.kill(child.pid!, 'SIGKILL')
    // Both have the same output, which closes with the last of them.
    await ended
  })
})

describe('the check', () => {
  const step = (name: string, status: number) => `console.log('${name}'); process.exitCode = ${status}`
  const report = {
    numPassedTests: 7,
    numFailedTests: 1,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ status: 'failed', assertionResults: [{}] }],
  }
  type Row = [name: string, statuses: number[], report: object | null, status: number, last: string]
  const table: Row[] = [
    ['all well', [0, 0, 0], { ...report, numFailedTests: 0 }, 0, '7 passed, 0 failed'],
    ['a test fails', [0, 0, 1], report, 1, '7 passed, 1 failed'],
    ['a test is skipped', [0, 0, 1], { ...report, numPendingTests: 2 }, 1, '7 passed, 1 failed, 2 skipped'],
    [
      'a test file is broken',
      [0, 0, 1],
      { ...report, numFailedTests: 0, testResults: [{ status: 'failed', assertionResults: [] }] },
      1,
      '7 passed, 1 failed',
    ],
    ['lint fails', [3, 0, 0], report, 3, 'biome ci ended with status 3'],
    ['types fail', [0, 2, 0], report, 2, 'tsc --noEmit ended with status 2'],
    ['vitest crashes', [0, 0, 9], null, 9, 'vitest.mjs run ended with status 9'],
  ]

  test.each(table)('%s', async (_, [lint, types, tests], counts, status, last) => {
    write('node_modules/@biomejs/biome/bin/biome', step('lint', lint!))
    write('node_modules/typescript/bin/tsc', step('types', types!))
    write(
      'node_modules/vitest/vitest.mjs',
      `import { writeFileSync } from 'node:fs'
const file = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1]
const counts = ${JSON.stringify(counts)}
if (counts !== null) writeFileSync(file, JSON.stringify(counts))
${step('tests', tests!)}`,
    )
    const outcome = await run(['scripts/check.mjs'])
    expect(outcome.status).toBe(status)
    expect(outcome.out.trimEnd().split('\n')).toContain(last)
    // The service's types, then the pages', then the dashboard's.
    const failed = [lint, types, types, types, tests].findIndex((code) => code !== 0)
    const steps = ['lint', 'types', 'types', 'types', 'tests']
    const reached = steps.slice(0, failed === -1 ? steps.length : failed + 1)
    expect(outcome.lines.filter((line) => /^(lint|types|tests)$/.test(line))).toEqual(reached)
  })
})
