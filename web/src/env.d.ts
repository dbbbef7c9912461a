declare module 'lucide:*' {
  /** The icon's outline, for Icon's `path`. */
  const outline: string
  export default outline
}
