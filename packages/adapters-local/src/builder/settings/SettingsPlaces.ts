/** In which line of a settings file a field stands. Pure, and linear in the length of the file. */
import * as Jsonc from "jsonc-parser"

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

const jsonLine = (text: string, name: string): number | null => {
  try {
    const root = Jsonc.parseTree(text, [], { allowTrailingComma: true })
    const property = root?.children?.findLast(({ children }) => children?.[0]?.value === name)
    return property === undefined ? null : lineAt(text, property.offset)
  } catch {
    // Nested too deeply.
    return null
  }
}

/** The first part of a key such as `a.b`, `"a".b` or `'a'`, up to a dot, a bracket, an equals sign or a space. */
const firstKey = /^[ \t]*(?:"((?:[^"\\]|\\.){0,200})"|'([^']{0,200})'|([A-Za-z0-9_-]{1,200}))/

/** What is open at the end of a line: a text of many lines, and how many brackets. */
interface Open {
  text: '"""' | "'''" | null
  brackets: number
}

/** Goes through one line's value, so that what a text or a list of many lines holds is not taken for keys. */
const pass = (line: string, open: Open): void => {
  for (let at = 0; at < line.length;) {
    if (open.text !== null) {
      const end = line.indexOf(open.text, at)
      if (end < 0) return
      at = end + 3
      open.text = null
      continue
    }
    const three = line.slice(at, at + 3)
    const here = line[at]
    if (three === '"""' || three === "'''") {
      open.text = three
      at += 3
    } else if (here === '"' || here === "'") {
      let end = at + 1
      while (end < line.length && line[end] !== here) end += here === '"' && line[end] === "\\" ? 2 : 1
      at = end + 1
    } else if (here === "#") return
    else {
      if (here === "[" || here === "{") open.brackets++
      if (here === "]" || here === "}") open.brackets = Math.max(0, open.brackets - 1)
      at++
    }
  }
}

const tomlLine = (text: string, name: string): number | null => {
  const open: Open = { text: null, brackets: 0 }
  let inTable = false
  for (const [index, line] of text.split("\n").entries()) {
    if (open.text === null && open.brackets === 0) {
      const table = /^[ \t]*\[{1,2}/.exec(line)?.[0]
      const found = firstKey.exec(table === undefined ? line : line.slice(table.length))
      const key = found?.[1] ?? found?.[2] ?? found?.[3]
      if (key === name && (table !== undefined || !inTable)) return index + 1
      if (table !== undefined) {
        inTable = true
        continue
      }
    }
    pass(line, open)
  }
  return null
}

/** The line, from 1 on, in which a field at the top of a settings file begins; null when it is not found. */
export const lineOf = (file: string, text: string, name: string): number | null =>
  file.endsWith(".toml") ? tomlLine(text, name) : jsonLine(text, name)
