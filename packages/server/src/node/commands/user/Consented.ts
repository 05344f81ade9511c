/** Saying yes to one tree, and to no other one. */
import { type Candidate, short } from "./Candidates.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import { riskLines } from "./RiskLines.ts"
import type { Session } from "./Verb.ts"

const demandPrefix = (prefix: string): void => {
  if (!/^[0-9a-f]{6,64}$/.test(prefix)) throw misused(`--tree takes at least 6 of a tree's hex digits, not "${prefix}"`)
}

/** Where it can be looked at. It may have none, or none any more: that is no reason not to decide. */
const previewOf = async ({ client }: Pick<Session, "client">, id: string): Promise<string> => {
  try {
    const { on, url } = (await client().ask("candidates.preview", { id })).preview
    return `preview ${url}${on === undefined ? "" : ` (with unlanded work of ${on.join(", ")})`}`
  } catch (error) {
    if (error instanceof Refused) return `no preview (${error.code})`
    throw error
  }
}

const filesOf = async ({ client }: Pick<Session, "client">, id: string): Promise<string> => {
  const { files } = await client().ask("candidates.diff", { id })
  const [added, removed] = files.reduce(
    ([plus, minus], each) => [plus + each.additions, minus + each.deletions],
    [0, 0]
  )
  return `${files.length} ${files.length === 1 ? "file" : "files"}, +${added} −${removed}`
}

/** What is about to be decided on, for the person who decides. */
const shown = async (session: Pick<Session, "client">, candidate: Candidate): Promise<string> => {
  const { base_generation: base, id, plan_json: plan, status } = candidate
  const why = await session.client().ask("candidates.why", { id })
  const checks = why.checks.map(
    ({ checkId, required, verdict }) => `${checkId} ${verdict}${required ? "" : " (not required)"}`
  )
  return [
    `Candidate ${id} on S${base}, risk ${plan?.riskTier ?? "unknown"}, ${status}`,
    ...riskLines(plan, why).map((line) => `  ${line}`),
    `  ${await filesOf(session, id)} · ${checks.join(", ") || "no checks"} · ${await previewOf(session, id)}`
  ].join("\n")
}

/** The tree that was named or agreed to. Refuses with 5 when the Candidate has another one. */
export const consented = async (session: Session, verb: string, candidate: Candidate): Promise<void> => {
  const { again, has, person, value, warn } = session
  const { id, tree } = candidate
  if (tree === null)
    throw new Refused("not_composed", `${id} has no tree yet`, exitCodes.stillRunning, [
      { command: `pawl status ${id} --watch`, when: "to wait for it" }
    ])
  const prefix = value("tree")
  if (prefix !== undefined) {
    demandPrefix(prefix)
    if (tree.startsWith(prefix)) return
    throw new Refused(
      "stale",
      `${id} has the tree ${short(tree)}, not ${prefix}: look at it again`,
      exitCodes.stale,
      [{ command: `pawl diff ${id}`, when: "to look at it" }],
      { candidateId: id, tree }
    )
  }
  if (has("yes")) return
  if (person.present) warn(await shown(session, candidate))
  if (
    !(await person.agrees(
      `${verb} tree ${short(tree)}?`,
      `name what you looked at, --tree ${short(tree)}, or give --yes`,
      [{ command: again("--tree", short(tree)), when: "that is the tree that you looked at" }]
    ))
  )
    throw new Refused("not_confirmed", `nobody said yes: nothing was sent`, exitCodes.no)
}
