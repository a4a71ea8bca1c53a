// The service that a test file works with: started before its tests, closed after them.

import { afterAll } from 'vitest'
import { type Service, startService } from './service.ts'

/** To be awaited at the top of the file. Takes the options of `startService`. */
export async function useService(options?: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options)
  afterAll(() => service.close())
  return service
}

/** The settings of a program that works on the service's database: a command, or another process of the service. */
export function settingsOf(service: Service, masterKey: Buffer): Record<string, string> {
  return {
    RIPPER_DATABASE_URL: service.database.url,
    RIPPER_MASTER_KEY: masterKey.toString('base64'),
  }
}
