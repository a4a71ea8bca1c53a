import { defineConfig } from 'vitest/config'

const tests = ['src/**/*.test.ts', 'web/**/*.test.ts', 'sdk/**/*.test.ts', 'tests/**/*.test.ts']

/**
 * What takes long by its nature: processes and servers that start, die and start again, races of hundreds of rounds, packages,
 * documents step by step, pictures and looks of every page.
 */
const proofs = [
  'src/database/embedded/*.test.ts',
  'tests/bench/*.test.ts',
  'tests/browser/{access,docs-page,looks}.test.ts',
  'tests/browser/dashboard/{form-refusals,languages,pictures}.test.ts',
  'tests/payments/*-program*.test.ts',
  'tests/cli/welcome.test.ts',
  'tests/payments/{crash-steps,races,hold-races,reconcile-races,held-locks}.test.ts',
  'tests/dashboard/statement-bounds.test.ts',
  'tests/database/*-program*.test.ts',
  'tests/database/{foreign-folder,watch-database}.test.ts',
  'tests/http/{failed-start,stop,trace-sending}.test.ts',
  'tests/pages/{guides,money-guides,samples}.test.ts',
  'tests/proofs/*.test.ts',
  'tests/sdk/{package,python-readme}.test.ts',
  'tests/tidy/{operations,readme,scripts,service-package}.test.ts',
  'tests/webhooks/{chaos,crash}.test.ts',
]

/** What needs PHP, Go and tools of Python: `npm run packages`. */
const packages = ['tests/packages/*.test.ts']

const globalSetup = ['tests/support/setup-database.ts', 'tests/support/setup-web.ts']

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'tests', include: tests, exclude: [...proofs, ...packages], globalSetup } },
      { extends: true, test: { name: 'proofs', include: proofs, globalSetup } },
      { extends: true, test: { name: 'packages', include: packages, globalSetup } },
    ],
    setupFiles: ['tests/support/setup-properties.ts'],
    pool: 'forks',
    // A worker loads each module once, by Node itself, and not once for each file.
    isolate: false,
    experimental: { viteModuleRunner: false },
    // Tests wait for PostgreSQL, browsers and each other: on two cores, two files at a time would leave one half idle.
    maxWorkers: 3,
    // No more than a guard against what never ends: a busy machine takes several times as long as an idle one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
