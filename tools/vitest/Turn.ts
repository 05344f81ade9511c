/** How deep a run goes and where its chance begins: from the environment, and else from the commit. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { Depth, Turn } from "../../packages/testing/src/Depth.ts"
import { sliceIndex, slices } from "../../packages/testing/src/Slices.ts"

const root = join(import.meta.dirname, "../..")

const git = (...args: ReadonlyArray<string>): string | null => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

/**
 * A number of this commit: chance by its hash, and a last digit that counts commits, so that commits in a row take slices
 * in a row. A shallow clone cannot count and takes the digit from the hash too. Without git it is 0.
 */
const seedOfCommit = (): number => {
  const head = git("rev-parse", "HEAD")
  if (head === null) return 0
  const hash = Number.parseInt(head.slice(0, 7), 16)
  if (git("rev-parse", "--is-shallow-repository") !== "false") return hash
  return hash - (hash % slices) + (Number(git("rev-list", "--count", "HEAD")) % slices)
}

const depths: ReadonlyArray<Depth> = ["quick", "deep", "long"]

/** `PAWL_TEST_DEPTH` is quick, deep or long, and `PAWL_TEST_SEED` a whole number. */
export const turnOf = (environment: Readonly<Record<string, string | undefined>>): Turn => {
  const { PAWL_TEST_DEPTH: asked = "quick", PAWL_TEST_SEED: seed } = environment
  const depth = depths.find((each) => each === asked)
  if (depth === undefined) throw new Error(`PAWL_TEST_DEPTH is one of ${depths.join(", ")}, not ${asked}`)
  if (seed === undefined) return { depth, seed: seedOfCommit() }
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`PAWL_TEST_SEED is a whole number of at most 9 digits, not ${seed}`)
  return { depth, seed: Number(seed) }
}

/** Which depth and which slice ran, and how to run it again. */
export const turnLine = ({ depth, seed }: Turn): string => {
  const part = depth === "quick" ? `slice ${sliceIndex(seed) + 1} of ${slices} of what is deep` : "all slices"
  return `Depth ${depth}: ${part}, seed ${seed} (again with PAWL_TEST_DEPTH=${depth} PAWL_TEST_SEED=${seed}).`
}
