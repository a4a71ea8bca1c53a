// Reads the JSON file that names the live Directory Servers.

import { readFileSync } from 'node:fs'
import { z } from 'zod'

const directoryServer = z.strictObject({
  scheme: z.enum(['visa', 'mastercard', 'amex']),
  url: z.url({ protocol: /^https$/ }),
  certificate_file: z.string().optional(),
  key_file: z.string().optional(),
  ca_file: z.string().optional(),
})

const threeDsSchema = z.strictObject({
  server_reference_number: z.string().min(1).max(32),
  operator_id: z.string().min(1).max(32),
  requestor_id: z.string().min(1).max(35),
  requestor_name: z.string().min(1).max(40),
  requestor_url: z.url(),
  directory_servers: z.array(directoryServer).min(1),
})
export type ThreeDsFile = z.infer<typeof threeDsSchema>

/** The file's content, or what it must be instead. */
export function readThreeDsFile(path: string): ThreeDsFile | string {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return `a readable JSON file (${(error as Error).message})`
  }
  const result = threeDsSchema.safeParse(content)
  if (result.success) return result.data
  const [issue] = result.error.issues
  return `a valid Directory Server file: ${issue!.path.join('.')}: ${issue!.message}`
}
