// The packages for PHP and Go as a shop has them: each block of their READMEs tried.

import { describe } from 'vitest'
import { withChanges } from '../support/guide-blocks.ts'
import { go, php } from '../support/package-driver.ts'
import { judgeReadme } from '../support/package-readmes.ts'

describe.skipIf(php.missing)(php.missing ? `PHP ${php.missing}` : 'the README for PHP', () => {
  judgeReadme({
    folder: 'php',
    before: '',
    file: 'shop.php',
    // Without a web server the body comes another way.
    around: (block, name) =>
      `<?php\n\n${name === 'webhook' ? withChanges(block, { 'php://input': 'php://stdin' }) : block}`,
    run: 'touch body; php -d display_errors=stderr shop.php < body',
  })
})

describe.skipIf(go.missing)(go.missing ? `Go ${go.missing}` : 'the README for Go', () => {
  const imports = (names: string[]) => `package main

import (
${names.map((name) => `\t"${name}"\n`).join('')}
	ripper "ripper-checkout"
)
`
  const before = {
    use: `${imports(['context', 'errors', 'fmt', 'os'])}
func run() error {
	ctx := context.Background()
`,
    webhook: `${imports(['fmt', 'io', 'net/http', 'os'])}
func run() error {
	body, _ := io.ReadAll(os.Stdin)
	request := &http.Request{Header: http.Header{"Rip-Signature": {os.Getenv("HTTP_RIP_SIGNATURE")}}}
`,
  }
  const after = `	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`
  judgeReadme({
    folder: 'go',
    before: 'go mod init shop 2>/dev/null',
    file: 'main.go',
    around: (block, name) => `${before[name]}${block}${after}`,
    run: 'touch body; go run . < body',
  })
})
