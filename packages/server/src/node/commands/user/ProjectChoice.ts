/** The Project that a verb is about. */
import { Limits } from "@pawl/core/primitives/Limits"
import { gitConfig } from "./Git.ts"
import type { Environment } from "./Hosts.ts"
import { everyItem } from "./Pages.ts"
import type { Person } from "./Person.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"

/** A Project as lists show it. */
export type ListedProject = Answer<"projects.list">["items"][number]

/** Finds the Project. */
export interface ProjectChoice {
  /** By its id, its label or its slug, or as it was chosen for all verbs when no name is given. */
  readonly id: (named?: string) => Promise<string>
}

const projects = (client: UserClient): Promise<ReadonlyArray<ListedProject>> =>
  everyItem((cursor) => client.ask("projects.list", { query: { limit: 100, cursor } }))

/** The one of a label. No label is empty or longer than those that the server is asked for; an older one answers others too. */
const labelled = async (client: UserClient, name: string): Promise<ListedProject | undefined> => {
  if (name.trim() === "" || name.length > Limits.labelLength) return undefined
  const { items } = await client.ask("projects.list", { query: { label: name } })
  return items.find(({ label }) => label === name)
}

const found = async (client: UserClient, name: string): Promise<string> => {
  if (name.startsWith("proj_")) return name
  const named = await labelled(client, name)
  if (named !== undefined) return named.id
  const slugged = (await projects(client)).filter(({ slug }) => slug === name)
  const [first] = slugged
  if (first !== undefined && slugged.length === 1) return first.id
  if (first === undefined)
    throw new Refused("unknown_project", `there is no Project "${name}" that you may see`, exitCodes.no, [
      { command: "pawl project list", when: "to see which there are" }
    ])
  throw misused(`"${name}" may be ${slugged.map(({ label }) => label).join(" or ")}: give the label`)
}

const asked = async (client: UserClient, person: Person): Promise<string> => {
  const words = "which Project? Give --project, set PAWL_PROJECT, or `git config pawl.project` in a clone"
  if (!person.present) throw misused(words, [{ command: "pawl project list", when: "to see which there are" }])
  const all = await projects(client)
  const at = await person.chooses(
    "Which Project?",
    all.map(({ label }) => label)
  )
  const chosen = at === null ? undefined : all[at]
  if (chosen === undefined) throw misused(words)
  return chosen.id
}

/** `--project`, `PAWL_PROJECT`, `git config pawl.project`, else whoever is there is asked. */
export const projectChoice = (
  option: string | undefined,
  environment: Environment,
  client: () => UserClient,
  person: Person
): ProjectChoice => ({
  id: (named) => {
    const name = named ?? option ?? (environment["PAWL_PROJECT"] || undefined) ?? gitConfig("pawl.project")
    return name === undefined ? asked(client(), person) : found(client(), name)
  }
})
