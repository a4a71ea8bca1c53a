// What is shown this once: a region with a text to copy, and a button that says one has done so.

import type { ReactNode } from 'react'
import { say } from '../words.ts'
import { Button } from './button.tsx'
import { Copied, Copyable, useCopy } from './copy.tsx'

export function SecretRegion({
  label,
  texts,
  note,
  also = null,
  onKept,
}: {
  label: string
  texts: string[]
  note: ReactNode
  /** A second text, for another use. */
  also?: { label: string; text: string } | null
  onKept: () => void
}) {
  return (
    <>
      <section className="secret" aria-label={label}>
        <p>{note}</p>
        {texts.length === 1 ? (
          <Copyable text={texts[0]!} />
        ) : (
          <ul className="codes">
            {texts.map((text) => (
              <li key={text}>
                <code>{text}</code>
              </li>
            ))}
          </ul>
        )}
        {also && (
          <>
            <p>{also.label}</p>
            <Copyable text={also.text} />
          </>
        )}
      </section>
      {texts.length > 1 && <CodesActs texts={texts} />}
      <Button look="primary" onClick={onKept}>
        {say(texts.length === 1 && !also ? 'i_have_kept_it' : 'i_have_kept_them')}
      </Button>
    </>
  )
}

function CodesActs({ texts }: { texts: string[] }) {
  const { is_copied, copy } = useCopy(texts.join('\n'))
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${texts.join('\n')}\n`)}`
  return (
    <p className="acts start">
      <Button icon={is_copied ? 'done' : 'copy'} onClick={copy}>
        {say('copy')}
      </Button>
      <Copied is_copied={is_copied} />
      <a className="button quiet" href={file} download="recovery-codes.txt">
        {say('download')}
      </a>
    </p>
  )
}
