/** `pawl promote`. */
import { type Candidate, candidateNamed, isUnderWay, short } from "./Candidates.ts"
import { consented } from "./Consented.ts"
import { everyItem } from "./Pages.ts"
import { exitCodes, type Next, Refused } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"
import type { Outcome, Run, Session } from "./Verb.ts"
import { deadlineOf, until } from "./Waiting.ts"

type Release = Answer<"projects.releases">["items"][number]

const releaseOf = async (client: UserClient, projectId: string, id: string): Promise<Release | undefined> =>
  (
    await everyItem((cursor) => client.ask("projects.releases", { id: projectId, query: { limit: 100, cursor } }), 100)
  ).find((release) => release.id === id)

const released = async (
  { client, tell }: Session,
  projectId: string,
  id: string,
  deadline: number
): Promise<Release> => {
  // The table of its life takes longer to load than a verb may take to start: who waits has the time.
  const [{ ReleaseLifecycle }, { isFinal }] = await Promise.all([
    import("@pawl/core/model/ReleaseLifecycle"),
    import("@pawl/core/model/Lifecycle")
  ])
  let told = ""
  return until<Release>(deadline, `${id} is still taken live`, async () => {
    const release = await releaseOf(client(), projectId, id)
    if (release === undefined) return null
    if (release.status !== told) tell(`Release ${id}  ${release.status}`)
    told = release.status
    return isFinal(ReleaseLifecycle, release.status) ? release : null
  })
}

const nextOf = (changeId: string, blocks: ReadonlyArray<unknown>): ReadonlyArray<Next> => {
  const codes = blocks.map((block) =>
    typeof block === "object" && block !== null && "code" in block ? block.code : ""
  )
  return [
    // Planned anew first: another plan may owe another approval. One that was rejected takes more than that.
    ...(codes.includes("policy_version_mismatch") && !codes.includes("candidate_not_verified")
      ? [{ command: `pawl candidate create ${changeId}`, when: "it is to be planned under the Policy of today" }]
      : []),
    ...(codes.includes("approval_missing") ? [{ command: `pawl approve ${changeId}`, when: "you may approve" }] : []),
    { command: `pawl why ${changeId}`, when: "to see what is missing" }
  ]
}

const asked = async (client: UserClient, { changeId, id }: Candidate) => {
  try {
    return await client.ask("candidates.promote", { id })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "blocked") throw error
    const { blocks } = error.facts
    throw new Refused(
      error.code,
      error.message,
      error.exitCode,
      nextOf(changeId, Array.isArray(blocks) ? blocks : []),
      error.facts
    )
  }
}

/** Promotes one that was consented to, and waits where that is asked for. */
export const promoting = async (session: Session, candidate: Candidate): Promise<Outcome> => {
  const { client, has, tell, value } = session
  const deadline = deadlineOf(value)
  const promotion = await asked(client(), candidate)
  const { generation, outcome, releaseId, tree } = promotion
  tell(`S${generation}  tree ${short(tree)}`)
  const release =
    has("wait") && releaseId !== null ? await released(session, candidate.projectId, releaseId, deadline) : null
  const went = release === null || release.status === "deployed" || release.status === "superseded"
  return {
    json: { ...promotion, ...(release === null ? {} : { release }) },
    text: [`S${generation}`, outcome, short(tree), ...(release === null ? [] : [release.status])].join("\t"),
    exitCode: went ? exitCodes.yes : exitCodes.no,
    next: went
      ? [{ command: "pawl open", when: "to look at it" }]
      : [
          { command: "pawl logs", when: "to see what the app said" },
          { command: `pawl why ${candidate.id}`, when: "to see why, and what to do" },
          { command: "pawl rollback", when: "the older tree is to be canonical too" }
        ]
  }
}

/** What cannot be promoted is said before anybody is asked to agree: the server names every block. */
export const promote: Run = async (session) => {
  const {
    client,
    given: [name = ""],
    value
  } = session
  const candidate = await candidateNamed(client(), name)
  if (isUnderWay(candidate))
    throw new Refused("still_running", `${candidate.id} is still checked`, exitCodes.stillRunning, [
      { command: `pawl status ${candidate.id} --watch`, when: "to wait for it" }
    ])
  const { blocks } = await client().ask("candidates.why", { id: candidate.id })
  if (value("tree") !== undefined || (blocks.length === 0 && candidate.status === "verified"))
    await consented(session, "Promote", candidate)
  return promoting(session, candidate)
}
