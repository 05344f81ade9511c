/** Both programs that verify, as somebody runs them who trusts one key. */
import { spawn } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Ended, pawl } from "./Command.ts"

const script = join(import.meta.dirname, "../../../../../tools/verify.py")

/** `tools/verify.py` on a pack. */
export const python = (pack: string, ...more: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn("python3", [script, pack, ...more])
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("error", reject).once("close", (code) => resolve({ code, output }))
  })

/** The codes of findings and notes of what was printed, sorted, each once. */
export const codesIn = ({ output }: Ended): ReadonlyArray<string> =>
  [
    ...new Set([...output.matchAll(/^(?:FAIL|note) .*? +([a-z]+_[a-z_]+)(?: |$)/gm)].map(([, code = ""]) => code))
  ].sort()

/** What `pawl verify` says of something, what it says of the pack of that, and what `tools/verify.py` says of it. */
export interface Judged {
  readonly first: Ended
  readonly again: Ended
  readonly other: Ended
}

/** Somebody who verifies, in a folder of his own: each time as if it were the first. */
export const verifier = (folder: string) => {
  let count = 0
  const fresh = (name: string) => join(folder, `${name}-${count++}`)
  const verify = (what: string, key: string, ...more: ReadonlyArray<string>): Promise<Ended> =>
    pawl(["verify", what, "--key", key, ...more], { XDG_STATE_HOME: fresh("state") })
  return {
    fresh,
    verify,
    /** Verifies with both, the second time by way of a pack. */
    judged: async (what: string, key: string, ...more: ReadonlyArray<string>): Promise<Judged> => {
      const pack = fresh("pack")
      const first = await verify(what, key, "--pack", pack, ...more)
      const [again, other] = await Promise.all([verify(pack, key), python(pack)])
      return { first, again, other }
    },
    /** A copy of a data folder, as somebody has changed its database. */
    copyOf: (data: string, alter: (database: DatabaseSync, path: string) => void = () => undefined): string => {
      const path = fresh("copy")
      cpSync(data, path, { recursive: true })
      const database = new DatabaseSync(join(path, "pawl.db"))
      alter(database, path)
      database.close()
      return path
    }
  }
}

/** The exit codes of the three, and what each of them found: the same each time. */
export const verdictOf = ({ again, first, other }: Judged) => ({
  codes: [first.code, again.code, other.code],
  found: codesIn(first),
  agree: [codesIn(again), codesIn(other)].every((codes) => String(codes) === String(codesIn(first)))
})

/** That nothing was found, by any of the three. */
export const nothing = { codes: [0, 0, 0], found: [], agree: true }

/** Changes one row of a database of a data folder. */
export const rewrite = (
  database: DatabaseSync,
  table: string,
  id: string,
  alter: (row: Record<string, unknown>) => unknown
): void => {
  const row = database.prepare(`SELECT data FROM ${table} WHERE id = ?`).get(id)
  const altered = JSON.stringify(alter(JSON.parse(String(row?.["data"]))))
  database.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(altered, id)
}
