/**
 * Bounds stand in tables, by name. In a script each is the number that it is, in the places that use it: a bundler keeps a
 * table whole, and each name of it wherever it is read. Of an enumeration it knows the values.
 */
import { pathToFileURL } from "node:url"
import type { Plugin } from "esbuild"

/** An enumeration of a table. Throws for a value that none can have. */
const enumeration = ([name, table]: readonly [string, Readonly<Record<string, unknown>>]): string => {
  const members = Object.entries(table).map(([each, value]) => {
    if (typeof value !== "number") throw new Error(`${name}.${each} is no number`)
    return `${each} = ${value}`
  })
  return `export enum ${name} { ${members.join(", ")} }`
}

/** For every script. */
export const limitNumbers: Plugin = {
  name: "limit-numbers",
  setup: (each) => {
    each.onLoad({ filter: /packages\/[a-z-]+\/src\/(?:primitives\/)?\w*Limits\.ts$/ }, async ({ path }) => {
      const tables: Readonly<Record<string, Readonly<Record<string, unknown>>>> = await import(pathToFileURL(path).href)
      return { loader: "ts", contents: Object.entries(tables).map(enumeration).join("\n") }
    })
  }
}
