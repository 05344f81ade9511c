/** A rollback that was asked for, followed to its end. Each step is told when the server has done it. */
import { useConnection } from "../live/Live.ts"
import { useQuery, useQueryClient, useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import type { Answer, CallOptions } from "../api/Wire.ts"
import { LiveLine } from "../change/LiveLine.tsx"
import { withoutRequests } from "../change/Next.ts"
import { shownStatus } from "../change/ShownStatus.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Id } from "../ui/Id.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Status } from "../ui/Status.tsx"
import { isOver, stepsOf } from "./RollbackSteps.ts"

/** What is known of it at one moment. */
export interface Followed {
  readonly change: Answer<"changes", "get">["change"]
  readonly candidate: Answer<"candidates", "list">["items"][number] | null
  readonly why: Answer<"candidates", "why"> | null
}

/** Milliseconds between two looks while something moves: the news of the server come sooner where there are any. */
const lookMs = 1000

const read = async (id: string, options: CallOptions): Promise<Followed> => {
  const params = { id }
  const [{ change }, { items }] = await Promise.all([
    api.changes.get({ params }, options),
    api.candidates.list({ params, query: {} }, options)
  ])
  const candidate = items.at(-1) ?? null
  const isDecided = candidate?.status === "verified" || candidate?.status === "rejected"
  const why = isDecided ? await api.candidates.why({ params: { id: candidate.id } }, options) : null
  return { change, candidate, why }
}

const Promote = ({ candidate, target }: { readonly candidate: string; readonly target: number }): ReactNode => {
  const client = useQueryClient()
  const { id } = useProjectHere()
  const promoting = useMutation({
    mutationFn: () => api.candidates.promote({ params: { id: candidate } }),
    onSuccess: ({ generation }) => announce(`S${generation} is canonical, with the tree of S${target}`),
    onSettled: () => {
      for (const queryKey of [keys.project(id), ["change"], keys.candidate(candidate), keys.inbox])
        void client.invalidateQueries({ queryKey })
    }
  })
  return (
    <>
      {promoting.error === null ? null : <Problem of={promoting.error} />}
      <Button look="primary" busy={promoting.isPending} onClick={() => promoting.mutate()}>
        {promoting.isPending ? "Promoting…" : `Promote the tree of S${target}`}
      </Button>
    </>
  )
}

const Next = ({
  followed: { candidate, change, why },
  target
}: {
  readonly followed: Followed
  readonly target: number
}) => {
  const { id, label } = useProjectHere()
  if (change.status === "completed")
    return (
      <div className="rollback-next">
        {candidate === null ? null : (
          <LiveLine projectId={id} label={label} generation={candidate.base_generation + 1} />
        )}
        <LinkButton to={`/p/${label}/generations`} look="primary">
          See the generations
        </LinkButton>
      </div>
    )
  if (isOver(change.status)) return <p>{change.reason ?? "It ended without a word."}</p>
  if (why === null || candidate === null) return null
  return (
    <div className="rollback-next">
      {why.canPromote ? (
        <>
          <p>Your turn: its checks have passed, and nothing has changed yet.</p>
          <Promote candidate={candidate.id} target={target} />
        </>
      ) : (
        <>
          <ul>
            {why.blocks.map((block) => (
              <li key={block.code}>{block.detail}</li>
            ))}
          </ul>
          <p>{withoutRequests(why.next)}</p>
          <LinkButton to={`/changes/${change.id}`}>Open the Change</LinkButton>
        </>
      )}
    </div>
  )
}

/** It may be left and come back to: the address names the Change. */
export const RollbackProgress = ({
  change: id,
  target
}: {
  readonly change: string
  readonly target: number
}): ReactNode => {
  const { label } = useProjectHere()
  const isLive = useConnection().is === "live"
  const followed = useQuery({
    queryKey: keys.ofChange(id, "rollback"),
    queryFn: ({ signal }) => read(id, { signal }),
    refetchInterval: ({ state: { data } }) =>
      isLive || (data !== undefined && isOver(data.change.status)) ? false : lookMs
  })
  return (
    <Answered query={followed}>
      {(now) => (
        <Card title="The rollback" actions={<Status {...shownStatus(now.change, now.candidate, null)} />}>
          <div className="rollback-steps">
            <ol aria-live="polite">
              {stepsOf(now.change, now.candidate, target).map(({ state, words }) => (
                <li key={words} data-state={state}>
                  {words}
                </li>
              ))}
            </ol>
            <Next followed={now} target={target} />
            <p className="rollback-change">
              Change <Link href={`/changes/${id}`}>{now.change.goal}</Link> <Id id={id} label="Change" /> ·{" "}
              <Link href={`/p/${label}`}>Overview</Link>
            </p>
          </div>
        </Card>
      )}
    </Answered>
  )
}
