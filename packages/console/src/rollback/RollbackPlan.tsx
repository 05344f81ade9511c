/** What a rollback would do on the head that is shown, and the button that asks for it. */
import { useMutation, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Link, useLocation } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal } from "../api/Refusal.ts"
import { FileList } from "../generation/FileList.tsx"
import { useComparison } from "../generation/GenerationQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { useMayNot } from "../project/May.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { TextField } from "../ui/Field.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { gateWords, type Plan, undoneWords, unnamed } from "./Undone.ts"

/** Characters that the server takes of a reason. */
const reasonMost = 1000

interface Of {
  readonly head: number
  readonly target: number
}

/** The server's plan for this head; null while the head is another than the page knows. */
const usePlan = ({ head, target }: Of): UseQueryResult<Plan | null> => {
  const { id } = useProjectHere()
  const client = useQueryClient()
  return useAnswer(keys.ofProject(id, "rollback-plan", String(head), String(target)), async (options) => {
    const { plan } = await api.rollbacks.plan({ params: { id }, payload: { targetGeneration: target } }, options)
    if (plan.head.generation === head) return plan
    // The page learns of the new head, and asks for its plan.
    void client.invalidateQueries({ queryKey: keys.project(id), exact: true })
    return null
  })
}

const Undone = ({ plan }: { readonly plan: Plan }): ReactNode => {
  const { label } = useProjectHere()
  const others = unnamed(plan)
  return (
    <Card title={undoneWords(plan)}>
      <ul role="list" className="undone">
        {plan.undone.map(({ change, generation }) => (
          <li key={generation}>
            <Link href={`/p/${label}/generations/${generation}`}>S{generation}</Link>
            {change === null ? null : (
              <>
                <Link href={`/changes/${change.id}`} className="undone-goal">
                  {change.goal}
                </Link>
                <Tag>{`${change.riskTier} risk`}</Tag>
              </>
            )}
          </li>
        ))}
        {others > 0 ? <li>and {others} more before these</li> : null}
      </ul>
    </Card>
  )
}

const Gate = ({ plan }: { readonly plan: Plan }): ReactNode => (
  <Card title="Before it goes out">
    <ul className="rollback-gate">
      {plan.checks.map(({ id, title }) => (
        <li key={id}>Pawl checks: {title}.</li>
      ))}
      <li>{gateWords(plan)}</li>
      {plan.dataWarning === null ? null : (
        <li>
          <strong>{plan.dataWarning}</strong>
        </li>
      )}
    </ul>
  </Card>
)

const UnderWay = ({
  of,
  target
}: {
  readonly of: NonNullable<Plan["underWay"]>
  readonly target: number
}): ReactNode => {
  const { label } = useProjectHere()
  return (
    <Notice tone="run" icon="clock">
      It was asked for on this head already.{" "}
      <Link href={`/p/${label}/rollback?to=${target}&change=${of.changeId}`}>Follow it</Link>
    </Notice>
  )
}

const Moved = ({ from, head }: { readonly from: number; readonly head: number }): ReactNode => (
  <Notice tone="warn" icon="warn">
    The head moved from S{from} to S{head} meanwhile. This is the new plan; nothing was done.
  </Notice>
)

const Reason = ({ of, onChange }: { readonly of: string; readonly onChange: (said: string) => void }): ReactNode => (
  <TextField
    label="Reason (optional)"
    hint="It stands in the history and beside the generation, for everybody who reads them."
    autoComplete="off"
    maxLength={reasonMost}
    value={of}
    onChange={({ target: { value } }) => onChange(value)}
  />
)

/** Nothing is asked for before the diff is there: what is not seen is not undone. */
export const RollbackPlan = ({ head, target }: Of): ReactNode => {
  const { id, label } = useProjectHere()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [seen, setSeen] = useState(head)
  const [reason, setReason] = useState("")
  const comparison = useComparison(id, head, target)
  const planned = usePlan({ head, target })
  const plan = planned.data ?? undefined
  const asking = useMutation({
    mutationFn: (expected: number) =>
      api.rollbacks.create({
        params: { id },
        payload: {
          targetGeneration: target,
          expectedGeneration: expected,
          ...(reason.trim() === "" ? {} : { reason: reason.trim() })
        }
      }),
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
  const mayNot = useMayNot(id)?.("rollbacks.create") ?? null
  const why = comparison.data === undefined || plan === undefined ? "First see what it changes." : mayNot
  return (
    <>
      {seen === head ? null : <Moved from={seen} head={head} />}
      {asking.error === null || isStale ? null : <Problem of={asking.error} />}
      <Answered query={{ ...planned, data: plan }}>
        {(found) => (
          <>
            {found.underWay === null ? null : <UnderWay of={found.underWay} target={target} />}
            <Undone plan={found} />
            <Gate plan={found} />
          </>
        )}
      </Answered>
      <Answered query={comparison}>
        {({ files }) => (
          <Card title={`What changes from S${head} (${files.length} ${files.length === 1 ? "file" : "files"})`} bare>
            <FileList files={files} />
          </Card>
        )}
      </Answered>
      <Reason of={reason} onChange={setReason} />
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
