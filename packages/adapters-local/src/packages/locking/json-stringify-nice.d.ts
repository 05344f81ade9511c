/** How npm writes its locks; the package brings no types. */
declare module "json-stringify-nice" {
  /** Keys of `first` in their order, then the others by name; values that are objects after those that are none. */
  export default function stringify(value: unknown, first: ReadonlyArray<string>, indent: string): string
}
