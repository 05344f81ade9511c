/** What a rollback would do on the head that is shown, and the button that asks for it. */
import { usePolicy } from "../project/ProjectQueries.ts"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal } from "../api/Refusal.ts"
import { FileList } from "../generation/FileList.tsx"
import { useChanges, useComparison } from "../generation/GenerationQueries.ts"
import { whatOf } from "../generation/Trigger.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { askedFor, gateWords, listedMost, undoneBy } from "./Undone.ts"

interface Of {
  readonly head: number
  readonly target: number
}

const Undone = ({ head, target }: Of): ReactNode => {
  const { id, label } = useProjectHere()
  const { data: changes } = useChanges(id)
  const versions = useAnswer(keys.ofProject(id, "undone", String(head), String(target)), (options) =>
    api.projects.versions({ params: { id }, query: askedFor(head, target) }, options)
  )
  const count = head - target
  return (
    <Card title={`It undoes ${count} ${count === 1 ? "generation" : "generations"}`}>
      <Answered query={versions} lines={2}>
        {({ items }) => (
          <ul role="list" className="undone">
            {undoneBy(items, target).map((version) => {
              const change = version.changeId === null ? undefined : changes?.get(version.changeId)
              return (
                <li key={version.generation}>
                  <Link href={`/p/${label}/generations/${version.generation}`}>S{version.generation}</Link>
                  <Link href={`/changes/${version.changeId}`} className="undone-goal">
                    {whatOf(version, change)}
                  </Link>
                  {change === undefined ? null : <Tag>{`${change.riskTier} risk`}</Tag>}
                </li>
              )
            })}
            {count > listedMost ? <li>and {count - listedMost} more before these</li> : null}
          </ul>
        )}
      </Answered>
    </Card>
  )
}

const Gate = (): ReactNode => {
  const { id } = useProjectHere()
  const policy = usePolicy(id)
  return (
    <Card title="Before it goes out">
      <ul className="rollback-gate">
        <li>Pawl checks that the new tree is exactly the old one.</li>
        <li>
          <Answered query={policy} lines={1}>
            {(found) => gateWords(found)}
          </Answered>
        </li>
        <li>
          <strong>Data stays as it is.</strong> What the app stored since then is not undone: the old code must be able
          to read it.
        </li>
      </ul>
    </Card>
  )
}

const Moved = ({ from, head }: { readonly from: number; readonly head: number }): ReactNode => (
  <Notice tone="warn" icon="warn">
    The head moved from S{from} to S{head} meanwhile. This is the new plan; nothing was done.
  </Notice>
)

/** Nothing is asked for before the diff is there: what is not seen is not undone. */
export const RollbackPlan = ({ head, target }: Of): ReactNode => {
  const { id, label } = useProjectHere()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [seen, setSeen] = useState(head)
  const comparison = useComparison(id, head, target)
  const asking = useMutation({
    mutationFn: (expected: number) =>
      api.rollbacks.create({ params: { id }, payload: { targetGeneration: target, expectedGeneration: expected } }),
    onSuccess: ({ change }) => {
      void client.invalidateQueries({ queryKey: keys.project(id) })
      announce(`The rollback to S${target} is asked for`)
      go(`/p/${label}/rollback?to=${target}&change=${change.id}`, { replace: true })
    },
    onError: (thrown, expected) => {
      if (asRefusal(thrown).code !== "stale") return
      // News may have brought the new head while the answer was on its way: what was asked for is what was seen.
      setSeen(expected)
      void client.invalidateQueries({ queryKey: keys.project(id) })
    }
  })
  const isStale = asking.error !== null && asRefusal(asking.error).code === "stale"
  const why = comparison.data === undefined ? "First see what it changes." : null
  return (
    <>
      {seen === head ? null : <Moved from={seen} head={head} />}
      {asking.error === null || isStale ? null : <Problem of={asking.error} />}
      <Undone head={head} target={target} />
      <Gate />
      <Answered query={comparison}>
        {({ files }) => (
          <Card title={`What changes from S${head} (${files.length} ${files.length === 1 ? "file" : "files"})`} bare>
            <FileList files={files} />
          </Card>
        )}
      </Answered>
      <div className="rollback-do">
        <p>
          S{head + 1} will have the tree of S{target}.
        </p>
        <LinkButton to={`/p/${label}/generations`}>Cancel</LinkButton>
        <Button look="primary" busy={asking.isPending} why={why} onClick={() => asking.mutate(head)}>
          {asking.isPending ? "Asking…" : `Ask for the rollback to S${target}`}
        </Button>
      </div>
    </>
  )
}
