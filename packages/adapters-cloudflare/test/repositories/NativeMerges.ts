/** git itself: takes a pack of ours, and merges many pairs of commits in one go. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The merged tree, and the paths that git names as in conflict. */
export interface NativeMerge {
  readonly clean: boolean
  readonly tree: string
  readonly conflicts: ReadonlyArray<string>
}

/** Reads what `merge-tree --stdin` says: for each merge 1 or 0, the tree, names in conflict, and an empty field. */
const mergesIn = (output: string): ReadonlyArray<NativeMerge> => {
  const fields = output.split("\0")
  const merges: Array<NativeMerge> = []
  for (let at = 0; at + 1 < fields.length;) {
    const [status = "", tree = ""] = fields.slice(at, at + 2)
    const end = fields.indexOf("", at)
    merges.push({ clean: status === "1", tree, conflicts: fields.slice(at + 2, end) })
    at = end + 1
  }
  return merges
}

/** A repository of git's for the time of a test. */
export const nativeRepository = () => {
  const folder = mkdtempSync(join(tmpdir(), "native-"))
  const git = (args: ReadonlyArray<string>, input?: Uint8Array | string) =>
    execFileSync("git", [`--git-dir=${folder}`, ...args], {
      input,
      maxBuffer: 256 * 1024 * 1024,
      env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
    })
  git(["init", "-q", "--bare"])
  return {
    /** Runs git with these arguments. */
    git: (args: ReadonlyArray<string>, input?: Uint8Array | string): string => git(args, input).toString("utf8"),
    /** Bytes that git prints. */
    bytes: (args: ReadonlyArray<string>, input?: Uint8Array | string): Uint8Array => git(args, input),
    /** Takes a pack in, with all the checks that git has for objects. */
    index: (pack: Uint8Array): void => void git(["index-pack", "--strict", "--stdin"], pack),
    /** Merges each pair. */
    merge: (pairs: ReadonlyArray<readonly [ours: string, theirs: string]>): ReadonlyArray<NativeMerge> =>
      mergesIn(
        git(
          ["merge-tree", "--write-tree", "--stdin", "--name-only", "--no-messages", "--allow-unrelated-histories"],
          pairs.map((pair) => `${pair.join(" ")}\n`).join("")
        ).toString("utf8")
      ),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
