/** Short files with telling names. What is too long holds two concepts; `utils` says that nobody knew what it holds. */
import { basename } from "node:path"
import type { Finding } from "./Finding.ts"
import type { OurFile } from "./Workspace.ts"

const longestLines = 400
const vague = /^(utils?|helpers?|common|misc)$/i
const vagueSuffix = /(Manager|Impl)/

export const files = (file: OurFile): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const at = { file: file.path, line: 0 }
  const lines = file.source.text.replace(/\n$/, "").split("\n").length
  // An index is a list: it is as long as what it names.
  if (lines > longestLines && basename(file.path) !== "index.ts") {
    findings.push({
      ...at,
      rule: "file-length",
      message: `${lines} lines, at most ${longestLines}: split it by concept`
    })
  }
  const name = basename(file.path).replace(/\..*$/, "")
  const folders = file.path.split("/").slice(0, -1)
  if (vagueSuffix.test(name) || [name, ...folders].some((part) => vague.test(part))) {
    findings.push({ ...at, rule: "file-name", message: `"${name}" does not name a concept of the domain` })
  }
  return findings
}
