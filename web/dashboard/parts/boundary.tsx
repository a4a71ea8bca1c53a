// Where drawing a page fails, words stand in its place, and a way on.

import { Component, type ReactNode } from 'react'
import { say } from '../words.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

export class Boundary extends Component<{ children: ReactNode }, { is_broken: boolean }> {
  override state = { is_broken: false }

  static getDerivedStateFromError() {
    return { is_broken: true }
  }

  override render() {
    if (!this.state.is_broken) return this.props.children
    return (
      <main className="door">
        <Alert>
          <p>{say('page_broken')}</p>
          <Button size="small" onClick={() => location.reload()}>
            {say('reload')}
          </Button>
        </Alert>
      </main>
    )
  }
}
