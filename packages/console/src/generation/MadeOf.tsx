/** What a generation was made of: its Change and ChangeSets, the checks that counted, and who approved. */
import { useChange, useChangeSets } from "../change/Queries.ts"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Id } from "../ui/Id.tsx"
import { Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Who } from "../ui/Who.tsx"
import { Counts } from "./FileList.tsx"
import type { Version } from "./GenerationQueries.ts"
import { Moment } from "./Moment.tsx"

type ChangeSet = Answer<"changesets", "list">["items"][number]
type Evidence = Answer<"candidates", "evidence">["items"][number]
type Approval = Answer<"approvals", "list">["items"][number]

const sum = (files: ChangeSet["files"], side: "additions" | "deletions"): number =>
  files.reduce((total, file) => total + file[side], 0)

const Work = ({ changeId, changeSets }: { readonly changeId: string; readonly changeSets: ReadonlyArray<string> }) => {
  const change = useChange(changeId)
  const all = useChangeSets(changeId)
  return (
    <Card title="What it is made of" bare>
      <Answered query={change}>
        {({ change: { goal, id, riskTier, rollbackReason } }) => (
          <div className="card-body made-of">
            <Link href={`/changes/${id}`}>{goal}</Link> <Tag>{`${riskTier} risk`}</Tag> <Id id={id} label="Change" />
            {rollbackReason === undefined ? null : <q>{rollbackReason}</q>}
          </div>
        )}
      </Answered>
      <Answered query={all}>
        {(items) => (
          <Table
            caption="ChangeSets"
            keyOf={({ id }) => id}
            rows={items.filter(({ id }) => changeSets.includes(id))}
            columns={[
              { title: "ChangeSet", isMain: true, of: ({ message }) => message },
              { title: "Author", of: ({ author }) => <Who of={author} /> },
              { title: "Commit", of: ({ commit }) => <Id id={commit} label="commit" /> },
              {
                title: "Files",
                align: "end",
                of: ({ files }) => (
                  <span>
                    {files.length} <Counts added={sum(files, "additions")} removed={sum(files, "deletions")} />
                  </span>
                )
              }
            ]}
          />
        )}
      </Answered>
    </Card>
  )
}

const tones: Readonly<Record<Evidence["result"], "good" | "bad" | "warn">> = { pass: "good", fail: "bad", gap: "warn" }

const Checks = ({ items, version }: { readonly items: ReadonlyArray<Evidence>; readonly version: Version }) => {
  const counted = new Set<string>(version.evidenceIds)
  return (
    <Table
      caption="Checks"
      keyOf={({ id }) => id}
      rows={items}
      columns={[
        { title: "Check", isMain: true, of: ({ checkId }) => checkId },
        { title: "Result", of: ({ result }) => <Tag tone={tones[result]}>{result}</Tag> },
        { title: "Counted", of: ({ id }) => (counted.has(id) ? "yes" : "no") },
        { title: "Isolation", of: ({ runner }) => runner.isolation },
        { title: "Ended", of: ({ finishedAt }) => <Moment at={finishedAt} /> },
        { title: "Evidence", of: ({ id }) => <Id id={id} label="evidence" /> }
      ]}
    />
  )
}

const Verified = ({ candidateId, version }: { readonly candidateId: string; readonly version: Version }) => {
  const evidence = useAnswer(keys.ofCandidate(candidateId, "evidence"), (options) =>
    api.candidates.evidence({ params: { id: candidateId }, query: {} }, options)
  )
  return (
    <Card title="Checks" bare>
      <Answered query={evidence}>
        {({ items }) => {
          const bundle = items.findLast(({ bundleDigest }) => bundleDigest !== undefined)?.bundleDigest
          return (
            <>
              <Checks items={items} version={version} />
              <div className="card-body made-of">
                Bundle {bundle === undefined ? "none was built" : <Id id={bundle} label="bundle digest" />}
              </div>
            </>
          )
        }}
      </Answered>
    </Card>
  )
}

const Approvals = ({ all, version }: { readonly all: ReadonlyArray<Approval>; readonly version: Version }) => {
  const ids = new Set<string>(version.approvalIds ?? (version.approvalId === null ? [] : [version.approvalId]))
  const counted = all.filter(({ id }) => ids.has(id))
  return counted.length === 0 ? (
    <p className="card-body">None was owed.</p>
  ) : (
    <Table
      caption="Approvals"
      keyOf={({ id }) => id}
      rows={counted}
      columns={[
        { title: "Approved by", isMain: true, of: ({ approver }) => <Who of={{ type: "user", id: approver }} /> },
        { title: "Tree", of: ({ tree }) => <Id id={tree} label="tree" /> },
        { title: "At", of: ({ decidedAt }) => <Moment at={decidedAt} /> },
        { title: "Note", of: ({ note }) => note ?? <span className="none">none</span> },
        { title: "Approval", of: ({ id }) => <Id id={id} label="approval" /> }
      ]}
    />
  )
}

const Approved = ({ changeId, version }: { readonly changeId: string; readonly version: Version }) => {
  const approvals = useAnswer(keys.ofChange(changeId, "approvals"), (options) =>
    api.approvals.list({ params: { id: changeId }, query: {} }, options)
  )
  return (
    <Card title="Approvals" bare>
      <Answered query={approvals}>{({ items }) => <Approvals all={items} version={version} />}</Answered>
    </Card>
  )
}

const OfCandidate = ({
  candidateId,
  changeId,
  version
}: {
  readonly changeId: string
  readonly candidateId: string
  readonly version: Version
}): ReactNode => {
  const candidate = useAnswer(keys.candidate(candidateId), (options) =>
    api.candidates.get({ params: { id: candidateId } }, options)
  )
  return (
    <>
      <Answered query={candidate}>
        {({ candidate: { changeSets } }) => <Work changeId={changeId} changeSets={changeSets} />}
      </Answered>
      <Verified candidateId={candidateId} version={version} />
      <Approved changeId={changeId} version={version} />
    </>
  )
}

/** The seed has no Change: it was given, not promoted. */
export const MadeOf = ({ version }: { readonly version: Version }): ReactNode =>
  version.changeId === null || version.candidateId === null ? (
    <Card title="What it is made of">
      <p>It is the first source: it was given as it is. No Change, no check and no approval stands behind it.</p>
    </Card>
  ) : (
    <OfCandidate changeId={version.changeId} candidateId={version.candidateId} version={version} />
  )
