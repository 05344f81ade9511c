/** Why an entry stands where it stands, and what its earlier predictions came to. */
import { useCandidates } from "../change/Queries.ts"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { duration } from "../ui/Amounts.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { Id } from "../ui/Id.tsx"
import { Time } from "../ui/Time.tsx"
import type { Entry } from "./EntryState.tsx"

type Why = NonNullable<Answer<"lane", "entry">["why"]>

const waits: Readonly<Record<NonNullable<Why["waits"]>["for"], string>> = {
  slot: "for a worker",
  ahead: "for one that stands before it",
  conflict: "until what it cannot be merged with has landed or left",
  approval: "for an approval",
  order: "for somebody to have it land",
  freeze: "for the end of a freeze",
  pause: "for the lane to go on",
  rollback: "for a rollback, which goes first",
  blocked: "because its promotion would be refused",
  budget: "for builds or sandbox time",
  dead_letter: "for a person: a command of it failed too often"
}

const Fallen = ({ of }: { readonly of: Why["predictions"] }): ReactNode =>
  of.length === 0 ? null : (
    <ul className="fallen">
      {of.map(({ at, candidateId, generation, reason }) => (
        <li key={candidateId}>
          As S{generation} <Id id={candidateId} label="Candidate" /> fell <Time at={at} />: {reason}
        </li>
      ))}
    </ul>
  )

const OpenWhy = ({ why }: { readonly why: Why }): ReactNode => (
  <>
    {why.waits === null ? null : (
      <p>
        It waits {waits[why.waits.for]}
        {why.waits.reason === undefined ? "" : `: ${why.waits.reason}`}.
      </p>
    )}
    {why.expected === null ? null : <p>Likely to land in {duration(why.expected.medianMs)}.</p>}
    <Fallen of={why.predictions} />
  </>
)

/** Of one that has ended: its Candidates that came to nothing, each with the promotion that its reason names. */
const EndedWhy = ({ entry: { changeId } }: { readonly entry: Entry }): ReactNode => {
  const candidates = useCandidates(changeId)
  return (
    <Answered query={candidates} lines={2}>
      {(all) => {
        const fallen = all.filter(({ status }) => status === "stale" || status === "rejected" || status === "blocked")
        return fallen.length === 0 ? (
          <p>No Candidate of it fell.</p>
        ) : (
          <ul className="fallen">
            {fallen.map(({ base_generation, id, reason, status, updatedAt }) => (
              <li key={id}>
                On S{base_generation} <Id id={id} label="Candidate" /> {status} <Time at={updatedAt} />
                {reason === null ? "" : `: ${reason}`}
              </li>
            ))}
          </ul>
        )
      }}
    </Answered>
  )
}

/** It is asked for when somebody opens it. */
export const EntryWhy = ({ entry }: { readonly entry: Entry }): ReactNode => {
  const { id } = useProjectHere()
  const isOpen = entry.position !== null
  const query = useAnswer(
    keys.ofProject(id, "lane", entry.id),
    (options) => api.lane.entry({ params: { id: entry.id } }, options),
    { enabled: isOpen }
  )
  if (!isOpen) return <EndedWhy entry={entry} />
  return (
    <Answered query={query} lines={2}>
      {({ why }) => (why === null ? <p>It has ended meanwhile.</p> : <OpenWhy why={why} />)}
    </Answered>
  )
}
