// Whether a person is there: only what follows a key or a pointer extends a session, polls do not.

let is_active = true

export function startActivity(): void {
  const note = () => {
    is_active = true
  }
  addEventListener('pointerdown', note, { capture: true, passive: true })
  addEventListener('keydown', note, { capture: true, passive: true })
}

/** True once after a key or a pointer. */
export function takeActivity(): boolean {
  const was_active = is_active
  is_active = false
  return was_active
}
