/** `pawl diff`. */
import { candidatesOf } from "./Candidates.ts"
import { everyItem } from "./Pages.ts"
import { exitCodes, Refused } from "./Refused.ts"
import type { UserClient } from "./UserClient.ts"
import type { Run } from "./Verb.ts"

/** What is compared: of a Change its newest Candidate that was composed, else its newest ChangeSet. */
const comparedOf = async (
  client: UserClient,
  name: string
): Promise<readonly ["candidates.diff" | "changesets.diff", string]> => {
  if (name.startsWith("cand_")) return ["candidates.diff", name]
  if (!name.startsWith("chg_")) return ["changesets.diff", name]
  const composed = (await candidatesOf(client, name)).filter(({ tree }) => tree !== null).at(-1)
  if (composed !== undefined) return ["candidates.diff", composed.id]
  const newest = (
    await everyItem((cursor) => client.ask("changesets.list", { id: name, query: { limit: 100, cursor } }))
  ).at(-1)
  if (newest !== undefined) return ["changesets.diff", newest.id]
  throw new Refused("nothing_to_compare", `${name} has no ChangeSet yet`, exitCodes.no, [
    { command: `pawl push <files> -m "…" --change ${name}`, when: "you have an edit" }
  ])
}

/** git's unified form, or with `--json` the files. */
export const diff: Run = async ({ client, given: [name = ""], json, value }) => {
  const [route, id] = await comparedOf(client(), name)
  const asked = { id, query: { path: value("path") } }
  if (json) return { json: { id, ...(await client().ask(route, asked)) } }
  return { json: {}, text: (await client().text(route, asked)).replace(/\n$/, "") }
}
