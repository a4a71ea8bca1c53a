// A text that people take elsewhere, with a button that copies it.

import { useState } from 'react'
import { say } from '../words.ts'
import { Icon } from './icon.tsx'

export function Copyable({ text, label }: { text: string; label?: string }) {
  return (
    <span className="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}

export function CopyButton({ text, label }: { text: string; label?: string | undefined }) {
  const { is_copied, copy } = useCopy(text)
  return (
    <>
      <button
        type="button"
        className="copy"
        onClick={copy}
        aria-label={label ? say('copy_what', { what: label }) : say('copy')}
      >
        <Icon name={is_copied ? 'done' : 'copy'} />
      </button>
      <Copied is_copied={is_copied} />
    </>
  )
}

/** `is_copied` is true for a moment, and never where the browser did not allow it: the text is then copied by hand. */
export function useCopy(text: string): { is_copied: boolean; copy: () => Promise<void> } {
  const [is_copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return
    }
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return { is_copied, copy }
}

/** For those who do not see the icon change. */
export function Copied({ is_copied }: { is_copied: boolean }) {
  return (
    <span role="status" className="unseen">
      {is_copied ? say('copied') : ''}
    </span>
  )
}
