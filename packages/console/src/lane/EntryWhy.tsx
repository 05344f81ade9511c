/** Why an entry stands where it stands, and what its earlier predictions came to. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { titleOf } from "../change/Next.ts"
import { useCandidates, useChange } from "../change/Queries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { Id } from "../ui/Id.tsx"
import { Time } from "../ui/Time.tsx"
import { entryQuery } from "./EntryQuery.ts"
import { type Entry, EntryState } from "./EntryState.tsx"
import { EntryWait } from "./EntryWait.tsx"
import { expectedWords, waitWords, type Why } from "./WhyWords.ts"

/** So many of those before it are told, the nearest. */
const beforeMost = 10

const Fallen = ({ of }: { readonly of: Why["predictions"] }): ReactNode =>
  of.length === 0 ? null : (
    <ul className="fallen">
      {of.map(({ ahead, at, candidateId, fell, generation, reason }) => (
        <li key={candidateId}>
          As S{generation} <Id id={candidateId} label="Candidate" /> made on{" "}
          {ahead === null ? "canonical" : <Id id={ahead} label="Candidate" />} fell <Time at={at} />: {reason}
          {fell === undefined ? null : (
            <>
              {" "}
              (<Link href={`/changes/${fell.changeId}`}>{fell.title}</Link> {fell.reason})
            </>
          )}
        </li>
      ))}
    </ul>
  )

const Before = ({ of }: { readonly of: Why["before"] }): ReactNode => {
  if (of.length === 0) return <p>Nobody stands before it.</p>
  const first = Math.max(0, of.length - beforeMost)
  return (
    <>
      <p>Before it:</p>
      <ol className="before" start={first + 1}>
        {of.slice(first).map(({ changeId, entryId, state, title, waits }) => (
          <li key={entryId}>
            <Link href={`/changes/${changeId}`}>{title}</Link> <EntryState of={state} />{" "}
            {waits === null ? null : <span>{waitWords(waits)}</span>}
          </li>
        ))}
      </ol>
    </>
  )
}

/** Who does not stand in line, as a rollback that goes first: its goal is asked for. */
const OtherChange = ({ changeId }: { readonly changeId: string }): ReactNode => {
  const { data } = useChange(changeId)
  return <Link href={`/changes/${changeId}`}>{data === undefined ? changeId : titleOf(data.change.goal)}</Link>
}

const OpenWhy = ({ why: { before, expected, predictions, waits } }: { readonly why: Why }): ReactNode => {
  const changeLink = (changeId: string): ReactNode => {
    const title = before.find((each) => each.changeId === changeId)?.title
    return title === undefined ? (
      <OtherChange changeId={changeId} />
    ) : (
      <Link href={`/changes/${changeId}`}>{title}</Link>
    )
  }
  return (
    <>
      {waits === null ? null : <EntryWait wait={waits} changeLink={changeLink} />}
      {expected === null ? null : <p>{expectedWords(expected)}</p>}
      <Before of={before} />
      <Fallen of={predictions} />
    </>
  )
}

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
  const query = useQuery({ ...entryQuery(id, entry.id), enabled: isOpen })
  if (!isOpen) return <EndedWhy entry={entry} />
  return (
    <Answered query={query} lines={2}>
      {({ why }) => (why === null ? <p>It has ended meanwhile.</p> : <OpenWhy why={why} />)}
    </Answered>
  )
}
