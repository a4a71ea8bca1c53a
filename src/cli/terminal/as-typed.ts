// How the commands that our sentences name are typed here.

import { programName } from '../../config/config.ts'
import { terminal } from './terminal.ts'

/** A sentence of ours with each `ripper COMMAND` in it as it runs here. Never for what others wrote. */
export function asTyped(sentence: string): string {
  const program = programName(terminal().environment)
  if (program === 'ripper') return sentence
  return sentence.replaceAll(/(?<!npx |[\w./-])ripper (?=[a-zA-Z])/g, `${program} `)
}
