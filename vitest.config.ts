import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'sdk/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/setup-database.ts', 'tests/support/setup-web.ts'],
    pool: 'forks',
    isolate: false,
    experimental: { viteModuleRunner: false },
    // Most of a test's time is PostgreSQL's; one file at a time would leave a core idle.
    maxWorkers: 2,
    // No more than a guard against what never ends: a busy machine takes several times as long as an idle one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
