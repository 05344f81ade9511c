/** The parts of the Summary of a Change. Each is there only when it has something to say. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Blocks } from "../candidate/Blocks.tsx"
import { blocksAt } from "../candidate/WhatToDo.ts"
import type { Standing } from "../candidate/Offered.ts"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Status } from "../ui/Status.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { useNames, withNames } from "./Names.ts"
import type { Candidate, Change, ChangeSet, Why } from "./Records.ts"
import type { StandingHere } from "./StandingHere.ts"

type SomeWhy = { readonly why: Why | null }

const Paths = ({ title, of }: { readonly title: string; readonly of: ReadonlyArray<string> }): ReactNode =>
  of.length === 0 ? null : (
    <div>
      <h3>{title}</h3>
      <ul className="plain-list">
        {of.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </div>
  )

/** Blocks, what is tried again, what does not merge, dead letters and Tasks that stand still. */
export const InTheWay = ({ change, why }: SomeWhy & { readonly change: Change }): ReactNode => {
  const name = useNames(change.projectId)
  if (why === null || ["completed", "cancelled"].includes(change.status)) return null
  const { conflicts, deadLetters, tasks, waits } = why
  const blocks = blocksAt(why.candidate.status, why.blocks)
  const failed = why.checks.filter(({ output, required, verdict }) => required && verdict !== "pass" && output !== null)
  if ([blocks, conflicts, deadLetters, tasks, waits].every(({ length }) => length === 0)) return null
  return (
    <Card title="What stands in the way">
      <div className="parts">
        {blocks.length === 0 ? null : <Blocks of={blocks} say={(words) => withNames(words, name)} />}
        {waits.map(({ again, checkId, reason }) => (
          <p key={`${checkId} ${again}`}>
            {checkId ?? "It"} waits: {reason}. It is tried again <Time at={again} />.
          </p>
        ))}
        <Paths title="Does not merge" of={conflicts} />
        {failed.map(({ checkId, output, title }) => (
          <div key={checkId}>
            <h3>{title}</h3>
            <pre className="code output-end" tabIndex={0} role="region" aria-label={`End of the output of ${checkId}`}>
              {output}
            </pre>
            <Link href={`/changes/${change.id}/evidence`}>All its evidence</Link>
          </div>
        ))}
        {tasks.map(({ id, key, next, status }) => (
          <p key={id}>
            <Status of={status} /> <Link href={`/changes/${change.id}/work`}>{key}</Link>: {next}
          </p>
        ))}
        {deadLetters.map(({ id, kind, problem }) => (
          <p key={id}>
            <Status of="dead" /> {kind}: {problem ?? "no reason was given"}
          </p>
        ))}
      </div>
    </Card>
  )
}

const owedWords = ({ decision, missing, required }: Why["approval"]): string => {
  if (decision === "rejected") return "Rejected. That is final."
  if (missing === 0) return "Granted by as many as the Policy asks for."
  return required === 1 ? "One person must grant it." : `${required} people must grant it; ${missing} are missing.`
}

/** Who decided, and how many are missing. */
export const Approvals = ({ at: { change, why } }: { readonly at: Standing }): ReactNode => {
  const name = useNames(change.projectId)
  if (why === null || (!why.approval.owed && why.approval.decisions.length === 0)) return null
  const { decisions } = why.approval
  return (
    <Card title="Approval">
      <div className="parts">
        <p>{owedWords(why.approval)}</p>
        {decisions.length === 0 ? null : (
          <ul role="list" className="rows">
            {decisions.map(({ approver, counts, decidedAt, decision, derivedFrom, note }) => (
              <li key={`${approver} ${decidedAt}`}>
                <Status of={decision === "granted" ? "verified" : "rejected"} words={decision} />
                <span>{name(approver)}</span>
                {derivedFrom === undefined ? null : <Tag>carried over</Tag>}
                {counts ? null : <Tag tone="warn">does not count any more</Tag>}
                <Time at={decidedAt} />
                {note === undefined ? null : <q>{note}</q>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

/** Why nobody vouches for what was promoted. */
export const Doubts = ({ why }: SomeWhy): ReactNode =>
  why?.doubt == null ? null : (
    <Notice tone="bad" icon="warn">
      Nobody vouches for it. {why.next}
    </Notice>
  )

/** What a model said of it: advice. */
export const Review = ({ why }: SomeWhy): ReactNode =>
  why?.review == null ? null : (
    <Card title="What a model said of it">
      <div className="parts">
        <p>
          <Tag tone={why.review.verdict === "fine" ? "good" : "warn"}>{why.review.verdict}</Tag>{" "}
          <span className="muted">Advice only: no gate goes by it.</span>
        </p>
        <p className="goal">{why.review.text}</p>
      </div>
    </Card>
  )

const CandidateRow = ({
  candidate,
  isOpen,
  name
}: {
  readonly candidate: Candidate
  readonly isOpen: boolean
  readonly name: (id: string) => string
}): ReactNode => (
  <li aria-current={isOpen ? "true" : undefined}>
    <Status of={candidate.status} />
    <span className="row-what">
      <Link href={`/changes/${candidate.changeId}?candidate=${candidate.id}`} data-row>
        on S{candidate.base_generation}
        {candidate.attempt > 1 ? `, attempt ${candidate.attempt}` : ""}
        {candidate.recomposition > 0 ? `, composed anew ${candidate.recomposition}×` : ""}
      </Link>
      {isOpen ? <Tag>shown here</Tag> : null}
      {candidate.reason === null ? null : <small>{withNames(candidate.reason, name)}</small>}
    </span>
    <Id id={candidate.id} label="Candidate" />
    <Time at={candidate.createdAt} />
  </li>
)

const ChangeSetRow = ({
  changeSet,
  name
}: {
  readonly changeSet: ChangeSet
  readonly name: (id: string) => string
}) => (
  <li>
    <span className="row-what">
      <Link href={`/changes/${changeSet.changeId}/diff?changeset=${changeSet.id}`} data-row>
        {changeSet.message}
      </Link>
      <small>
        {changeSet.files.length} {changeSet.files.length === 1 ? "file" : "files"} on S{changeSet.baseGeneration}, by{" "}
        {name(changeSet.author.id)}
      </small>
    </span>
    <Id id={changeSet.commit} label="commit" />
    <Time at={changeSet.createdAt} />
  </li>
)

/** Its Candidates, the newest first, and its ChangeSets in their order. */
export const Parts = ({ here }: { readonly here: StandingHere }): ReactNode => {
  const { at, candidates, changeSets } = here
  const name = useNames(at.change.projectId)
  if (changeSets.length === 0 && candidates.length === 0) return null
  return (
    <>
      <Card title="Candidates">
        {candidates.length === 0 ? (
          <Empty icon="dot" title="No Candidate yet">
            <p>Request one: the ChangeSets are composed on canonical and checked.</p>
          </Empty>
        ) : (
          <ul role="list" className="rows">
            {candidates.toReversed().map((each) => (
              <CandidateRow key={each.id} name={name} candidate={each} isOpen={each.id === at.candidate?.id} />
            ))}
          </ul>
        )}
      </Card>
      <Card title="ChangeSets">
        <ul role="list" className="rows">
          {changeSets.map((each) => (
            <ChangeSetRow key={each.id} changeSet={each} name={name} />
          ))}
        </ul>
      </Card>
    </>
  )
}
