/**
 * A source in words for models: its files with what they export, their contents where they are few, and what holds for
 * every app. Who plans, works or reviews is told the same. Pure.
 */
import { Limits } from "../primitives/Limits.ts"
import { heldAt, type Listed, listing, type Overlay } from "./Overlay.ts"
import { fenced } from "./Untrusted.ts"

/** Specification, "Authentication", 6: word for word. */
export const identityRule =
  "use the fake identity module for any auth need; never add real authentication or collect credentials."

/**
 * Where an app runs and what it has there, a line each. `offered`: packages that an app may import besides its own files.
 */
export const environmentWords = (offered: ReadonlyArray<string>): string => {
  const packages =
    offered.length === 0
      ? "It can import its own files, and no package."
      : `It can import its own files, and these packages besides: ${offered.join(", ")}. Any other one is a build error.`
  return `Where an app runs, when the source is one:
- It is a Worker: a module that exports fetch. Its env holds ASSETS (its own files) and DATA (get, put, delete, list; keys of up to ${Limits.appDataKeyLength} characters, texts of up to ${Limits.appDataValueBytes / 1024} KiB, ${Limits.appDataKeys} keys), and nothing else: no other binding, no variable, no secret.
- It reaches no network. Nothing is installed and a build runs no commands: it is bundled from its own files.
- It is open to anyone with its address.
- ${packages}`
}

const exported =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:function\s*\*?|abstract\s+class|class|const|let|var|interface|type|enum|namespace)\s+([A-Za-z_$][\w$]*)/gm

/** The names that a file of code exports, as far as they can be seen without a parser. */
const exportsOf = (overlay: Overlay, { bytes, path }: Listed): ReadonlyArray<string> => {
  if (!/\.[cm]?[jt]sx?$/.test(path) || bytes > Limits.agentExportsBytes) return []
  const held = heldAt(overlay, path)
  if (held._tag !== "Text") return []
  return Array.from(held.text.matchAll(exported), ([, name]) => name ?? "").slice(0, Limits.agentExports)
}

/** A line for each file: its path, its bytes, what it exports. */
export const listingWords = (overlay: Overlay): string => {
  const files = listing(overlay)
  const rows = files.slice(0, Limits.agentListed).map((file) => {
    const names = exportsOf(overlay, file)
    return `${file.path} ${file.bytes}${names.length === 0 ? "" : ` exports ${names.join(", ")}`}`
  })
  const more = files.length - rows.length
  return [...rows, ...(more > 0 ? [`and ${more} more: name a folder`] : [])]
    .join("\n")
    .slice(0, Limits.agentResultChars)
}

/** All texts of a source, when all of its files are few enough to be told at once; else none. */
export const textsAtOnce = (overlay: Overlay): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
  const files = listing(overlay)
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > Limits.agentStartBytes) return []
  return files.flatMap(({ path }) => {
    const held = heldAt(overlay, path)
    return held._tag === "Text" ? [{ path, text: held.text }] : []
  })
}

/** Each of those texts in its fence. */
export const contentsWords = (fence: string, overlay: Overlay): ReadonlyArray<string> =>
  textsAtOnce(overlay).map(({ path, text }) => fenced(fence, `file ${path}`, text))
