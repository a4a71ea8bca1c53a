// Source files as text, for the page that shows how it is made.

declare module '*?raw' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: this is how Vite hands the text over
  export default text
}
