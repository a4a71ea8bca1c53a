// A dialog over the page: React Aria keeps the focus in it and gives it back.

import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { say } from '../words.ts'
import { Button } from './button.tsx'

type DialogProps = {
  title: string
  /** Null for a dialog that only its own buttons close. */
  onClose: (() => void) | null
  /** Hides the page behind it. */
  is_opaque?: boolean
  /** While money is on its way nothing closes it: opened anew it would send the same act under another key. */
  is_busy?: boolean
  children: ReactNode
}

export function Dialog({ title, onClose, is_opaque, is_busy = false, children }: DialogProps) {
  const [opener] = useState(() => document.activeElement as HTMLElement | null)
  useEffect(() => () => afterFrames(restored_frames, () => findLostFocus(opener)), [opener])
  return (
    <ModalOverlay
      className={is_opaque ? 'veil opaque' : 'veil'}
      isOpen
      isDismissable={false}
      isKeyboardDismissDisabled={onClose === null || is_busy}
      onOpenChange={(is_open) => {
        if (!is_open) onClose?.()
      }}
    >
      <Modal className="modal">
        <AriaDialog className="dialog">
          <div className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {onClose && (
              <Button look="plain" icon="close" aria-label={say('close')} is_busy={is_busy} onClick={onClose} />
            )}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** React Aria gives the focus back in the next frames, but while a key is down it first waits until nothing on the page fades. */
const restored_frames = 3

function afterFrames(count: number, act: () => void): void {
  requestAnimationFrame(() => (count > 1 ? afterFrames(count - 1, act) : act()))
}

/** What opened the dialog may have gone with the act: a row that was decided. The keyboard goes on at the screen's heading. */
function findLostFocus(opener: HTMLElement | null): void {
  for (const each of [opener, document.querySelector<HTMLElement>('main h1')]) {
    if (document.activeElement === document.body && !isDialogOpen()) each?.focus({ preventScroll: true })
  }
}

/** Whether any dialog is over the page: then keys of the page rest. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role=dialog]') !== null
}

/** The row of buttons at a dialog's end. */
export function DialogActs({ children }: { children: ReactNode }) {
  return <div className="acts">{children}</div>
}

/** The buttons of a form: one leaves the dialog, the other acts. While the act is on its way neither can be pressed. */
export function FormActs({
  look = 'primary',
  is_busy,
  is_disabled = false,
  onClose,
  children,
}: {
  look?: 'primary' | 'danger'
  is_busy: boolean
  is_disabled?: boolean
  onClose: () => void
  /** What the act is called. */
  children: ReactNode
}) {
  return (
    <DialogActs>
      <Button is_busy={is_busy} onClick={onClose}>
        {say('cancel')}
      </Button>
      <Button look={look} type="submit" is_busy={is_busy} disabled={is_disabled}>
        {children}
      </Button>
    </DialogActs>
  )
}
