/** Reads by strace what a power cut could still take when a process gave its answer. */
import { dirname } from "node:path"

/** What was written until the answer. Paths are those of the moment of the answer. */
export interface Unsynced {
  readonly answered: boolean
  /** Files whose bytes, and folders whose names, no sync has followed. */
  readonly lasting: ReadonlyArray<string>
  readonly synced: ReadonlyArray<string>
}

const quoted = (text: string): ReadonlyArray<string> => [...text.matchAll(/"([^"]*)"/g)].map(([, path = ""]) => path)
const opened = (text: string): string => /^\w+\(\d+<([^>]*)>/.exec(text)?.[1] ?? ""

/** The calls in order, each once and where it ended: `[process, text]`. */
const callsOf = (trace: string): ReadonlyArray<string> => {
  const begun = new Map<string, string>()
  return trace.split("\n").flatMap((line) => {
    const [, process = "", text = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const half = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1]
    if (half !== undefined) return (begun.set(process, half), [])
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1]
    return [rest === undefined ? text : `${begun.get(process) ?? ""}${rest}`]
  })
}

/** `trace` is strace's, of `openat`, writes, `mkdir`, `rename`, `link` and syncs, with `-yy`. */
export const unsynced = (trace: string, answer: string): Unsynced => {
  let [lasting, synced] = [new Set<string>(), new Set<string>()]
  const named = (path: string) => lasting.add(dirname(path))
  for (const call of callsOf(trace)) {
    if (call.startsWith("write(1<") && call.includes(answer))
      return { answered: true, lasting: [...lasting], synced: [...synced] }
    if (!/= \d+(<.*>)?$/.test(call)) continue
    const [first = "", second = ""] = quoted(call)
    if (call.startsWith("openat(") && call.includes("O_CREAT")) named(first)
    else if (/^(write|pwrite64|writev)\(/.test(call)) lasting.add(opened(call))
    else if (call.startsWith("mkdir(")) named(first)
    else if (call.startsWith("link(")) named(second)
    else if (/^f(data)?sync\(/.test(call)) {
      lasting.delete(opened(call))
      synced.add(opened(call))
    } else if (call.startsWith("rename(")) {
      const moved = (path: string) =>
        path === first || path.startsWith(`${first}/`) ? `${second}${path.slice(first.length)}` : path
      lasting = new Set([...lasting].map(moved))
      synced = new Set([...synced].map(moved))
      named(second)
    }
  }
  return { answered: false, lasting: [...lasting], synced: [...synced] }
}
