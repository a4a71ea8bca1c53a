// Style sheets as text: Vite makes them small and hands them over.

declare module '*.css?inline' {
  const text: string
  export default text
}
