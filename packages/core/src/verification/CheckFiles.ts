/** Which files a check stands on: those that it declares, else tests by their names, and those that its command names. */
import type { Scripts } from "../project/PackageScripts.ts"
import type { PawlCheck } from "../project/PawlFile.ts"
import { Limits } from "../primitives/Limits.ts"
import { fitsGlob } from "../project/Globs.ts"

/** Where a check says nothing of its own. */
export const defaultCheckFiles: ReadonlyArray<string> = ["test/**", "tests/**", "**/*.test.*", "**/*.spec.*"]

type Defined = Pick<PawlCheck, "command" | "files" | "inputs">

/** The words of a shell line that may be paths. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  command
    .split(/[\s'"`;|&<>()=,]+/)
    .map((word) => word.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, ""))
    .filter((word) => word !== "" && word !== "." && !word.startsWith("-"))

const runsScripts = (command: string): boolean => /\b(?:npm|pnpm|yarn|bun)\b|--run\b/.test(command)

/** The package.json scripts that a command runs, and those that they run, by name: they are the check as much as it is. */
export const scriptsRun = (command: string, scripts: Scripts): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const open = [command]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    if (!runsScripts(text)) continue
    for (const name of wordsOf(text).flatMap((word) => [word, `pre${word}`, `post${word}`])) {
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
      if (script === undefined || found.has(name) || found.size >= Limits.checkScripts) continue
      found.set(name, script)
      open.push(script)
    }
  }
  return found
}

/** What tools read that no command names. */
const unnamed: Readonly<Record<string, ReadonlyArray<string>>> = {
  tsc: ["**/tsconfig*.json"],
  make: ["**/Makefile", "**/makefile", "**/*.mk"]
}

/** Globs of the files that a command names. After a `cd` they may lie in any folder. */
const namedBy = (check: Defined, scripts: Scripts): ReadonlyArray<string> =>
  [check.command, ...scriptsRun(check.command, scripts).values()].flatMap((command) => {
    let globs = 0
    const words = wordsOf(command).filter((word) => !/[*?]/.test(word) || ++globs <= Limits.checkCommandGlobs)
    const read = words.flatMap((word) => (Object.hasOwn(unnamed, word) ? (unnamed[word] ?? []) : []))
    return words.includes("cd") ? [...words, ...read, ...words.map((word) => `**/${word}`)] : [...words, ...read]
  })

/** Globs of the files whose base's form a check runs with too. */
export const checkFiles = (check: Defined, scripts: Scripts): ReadonlyArray<string> =>
  check.files ?? [...defaultCheckFiles, ...namedBy(check, scripts)]

/** Whether one of some checks reads a file: it is declared, a test by its name, or named with its folder or by itself. */
export const isReadBy = (checks: ReadonlyArray<Defined>, scripts: Scripts): ((path: string) => boolean) => {
  const globs = new Set(
    checks.flatMap((check) => {
      const named = namedBy(check, scripts)
      const inputs = check.inputs ?? []
      return [...inputs, ...(check.files ?? defaultCheckFiles), ...named, ...named.map((word) => `${word}/**`)]
    })
  )
  return (path) => [...globs].some((glob) => fitsGlob(glob, path))
}
