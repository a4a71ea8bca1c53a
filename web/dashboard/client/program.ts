// What people type before a command at the server: npx ripper, or ripper where it is installed for all.

import { useAnswer } from './query.ts'

export function useProgram(): string {
  return useAnswer('GET /sign-in/ways', {}).data?.program ?? 'ripper'
}
