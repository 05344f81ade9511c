/** The tab Diff: of the Candidate against what it was composed on, or of a ChangeSet, which has one before any Candidate. */
import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { asRefusal } from "../api/Refusal.ts"
import { type Candidate, useCandidate } from "../candidate/CandidateQuery.ts"
import { NoCandidate } from "../candidate/NoCandidate.tsx"
import type { TabProps } from "../change/ChangeTabs.tsx"
import { titleOf } from "../change/Next.ts"
import { useChangeSets, useDiff } from "../change/Queries.ts"
import type { ChangeSet } from "../change/Records.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SelectField } from "../ui/Field.tsx"
import { Id } from "../ui/Id.tsx"
import { useChangeSetDiff } from "./ChangeSetDiff.ts"
import { DiffView } from "./DiffView.tsx"
import type { DiffFile } from "./Files.ts"
import { type Subject, subjectOf, subjectsOf } from "./Subject.ts"
import "./diff.css"

const rawLink = ({ base_tree: base, projectId, tree }: Candidate, { path, status }: DiffFile): string =>
  `/v1/projects/${projectId}/code?${new URLSearchParams({ tree: status === "deleted" ? base : (tree ?? base), path }).toString()}`

const OfCandidate = ({ id }: { readonly id: string }): ReactNode => {
  const candidate = useCandidate(id)
  const diff = useDiff(id)
  if (diff.data === undefined && diff.error !== null && asRefusal(diff.error).code === "not_composed")
    return (
      <Card bare>
        <Empty icon="clock" title="There is no diff yet">
          <p>{candidate.data?.reason ?? "The Candidate is being composed. Its diff is here as soon as it is."}</p>
        </Empty>
      </Card>
    )
  return (
    <Answered query={candidate}>
      {(found) => (
        <Answered query={diff}>
          {(answer) => (
            <DiffView
              diff={answer}
              tree={found.tree ?? ""}
              rawOf={(file) => rawLink(found, file)}
              against={
                <>
                  <strong>S{found.base_generation}</strong> <Id id={found.base_commit} label="base commit" />
                </>
              }
            />
          )}
        </Answered>
      )}
    </Answered>
  )
}

const OfChangeSet = ({
  before,
  changeSet
}: {
  readonly changeSet: ChangeSet
  /** The one that it stands on; null for a generation. */
  readonly before: ChangeSet | null
}): ReactNode => {
  const diff = useChangeSetDiff(changeSet.id)
  return (
    <Answered query={diff}>
      {(answer) => (
        <DiffView
          diff={answer}
          tree={changeSet.tree}
          // The server reads whole files of generations and Candidates alone.
          rawOf={() => null}
          against={
            <>
              <strong>{before === null ? `S${changeSet.baseGeneration}` : `“${titleOf(before.message)}”`}</strong>{" "}
              <Id id={changeSet.baseCommit} label="base commit" />
            </>
          }
        />
      )}
    </Answered>
  )
}

const Choose = ({ of, shown }: { readonly of: ReadonlyArray<Subject>; readonly shown: Subject }): ReactNode => {
  const [, setSearch] = useSearchParams()
  return (
    <div className="diff-choose">
      <SelectField
        label="Diff of"
        value={shown.id}
        onChange={({ target }) =>
          setSearch(
            (before) => {
              const next = new URLSearchParams(before)
              const isCandidate = of.some(({ id, kind }) => id === target.value && kind === "candidate")
              if (isCandidate) next.delete("changeset")
              else next.set("changeset", target.value)
              return next
            },
            { replace: true }
          )
        }
      >
        {of.map(({ id, words }) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

const Shown = ({
  candidateId,
  changeSets,
  wanted
}: {
  readonly candidateId: string | null
  readonly changeSets: ReadonlyArray<ChangeSet>
  readonly wanted: string | null
}): ReactNode => {
  const all = subjectsOf(candidateId, changeSets)
  const shown = subjectOf(all, wanted)
  if (shown === null) return <NoCandidate what="diff" />
  const changeSet = changeSets.find(({ id }) => id === shown.id)
  const before = changeSets.find(({ commit }) => commit === changeSet?.baseCommit) ?? null
  return (
    <>
      {all.length > 1 && (wanted !== null || changeSets.length > 1) ? <Choose of={all} shown={shown} /> : null}
      {all.length > 1 || changeSet === undefined ? null : (
        <p className="muted">Of the ChangeSet “{titleOf(changeSet.message)}”. No Candidate is made of it yet.</p>
      )}
      {changeSet === undefined ? (
        <OfCandidate key={shown.id} id={shown.id} />
      ) : (
        <OfChangeSet key={shown.id} changeSet={changeSet} before={before} />
      )}
    </>
  )
}

/** The tab. `?changeset=` of the address says which ChangeSet is looked at. A Candidate waits for no list of them. */
export default function DiffTab({ candidateId, changeId }: TabProps): ReactNode {
  const changeSets = useChangeSets(changeId)
  const wanted = useSearchParams()[0].get("changeset")
  if (candidateId !== null && wanted === null)
    return <Shown candidateId={candidateId} changeSets={changeSets.data ?? []} wanted={null} />
  return (
    <Answered query={changeSets}>
      {(all) => <Shown candidateId={candidateId} changeSets={all} wanted={wanted} />}
    </Answered>
  )
}
