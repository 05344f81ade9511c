/**
 * What a spare process bundles before its own order comes: a program runs slowly where it runs for the first time, and nobody
 * waits for a spare. It is made of what most apps have, so that as much as possible was run once.
 */
import type { BundlerOrder } from "./BundlerMessages.ts"

/** Told to a process that it does the first order before it says that it is ready. */
export const triesFirst = "tries-first"

const source = {
  "index.ts": `import { Greeting, type Words } from "./words.tsx"
const words: Words = { text: "hello" }
export default { fetch: (request: Request): Response => new Response(Greeting(words) + request.url) }`,
  "words.tsx": `export interface Words { readonly text: string }
export const Greeting = ({ text }: Words): string => text`,
  "index.html": "<!doctype html><title>hello</title>",
  "package.json": "{}",
  "tsconfig.json": "{}"
}

/** Small, and built like any other. */
export const firstOrder: BundlerOrder = {
  main: "index.ts",
  assets: null,
  files: new Map(Object.entries(source).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  generated: new Set(),
  layer: null,
  packageBytes: 0,
  pages: new Map(),
  flags: [],
  rules: [],
  modules: null,
  jsx: { factory: null, fragment: null },
  tsconfig: null,
  moduleBytes: 2 ** 16,
  problems: 1,
  unpackedBytes: 0,
  parseCharacters: 2 ** 16
}
