/** Messages to a webhook, the newest first, and the way to send one again. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { type Key, keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import type { Delivery } from "./WebhookQuery.ts"

/** The name under which they are kept: not below that of the webhooks, or those of a deleted one were asked for again. */
export const deliveriesKey = (projectId: string, webhookId: string): Key =>
  keys.ofProject(projectId, "deliveries", webhookId)

const looks: Readonly<Record<Delivery["state"], readonly [status: string, words: string]>> = {
  waiting: ["awaiting_approval", "Waits"],
  delivered: ["completed", "Delivered"],
  failed: ["failed", "Failed"],
  gone: ["cancelled", "Not sent any more"]
}

const columns = (redeliver: (id: string) => void): ReadonlyArray<Column<Delivery>> => [
  {
    title: "Event",
    isMain: true,
    of: ({ event }) => (
      <div className="named">
        <span>{event.type}</span>
        <small>{event.sequence === null ? "a test" : `number ${event.sequence}`}</small>
      </div>
    )
  },
  {
    title: "State",
    of: ({ state }) => {
      const [status, words] = looks[state]
      return <Status of={status} words={words} />
    }
  },
  { title: "Tries", align: "end", of: ({ tries }) => tries },
  {
    title: "Last answer",
    of: ({ lastProblem, lastStatus }) => (
      <span className="delivery-answer">
        {lastStatus === null
          ? (lastProblem ?? "none yet")
          : `${lastStatus}${lastProblem === null ? "" : `: ${lastProblem}`}`}
      </span>
    )
  },
  { title: "Next try", of: ({ nextTryAt }) => (nextTryAt === null ? "none" : <Time at={nextTryAt} />) },
  { title: "Moved", of: ({ updatedAt }) => <Time at={updatedAt} /> },
  {
    title: "",
    align: "end",
    of: ({ event, id }) =>
      event.sequence === null ? null : (
        <Button size="small" aria-label={`Send again: ${event.type}`} onClick={() => redeliver(id)}>
          Send again
        </Button>
      )
  }
]

/** Of one webhook. */
export const Deliveries = ({
  projectId,
  webhookId
}: {
  readonly projectId: string
  readonly webhookId: string
}): ReactNode => {
  const client = useQueryClient()
  const key = deliveriesKey(projectId, webhookId)
  const pages = usePages<Delivery>(key, (cursor, options) =>
    api.webhooks.deliveries({ params: { id: webhookId }, query: cursor === undefined ? {} : { cursor } }, options)
  )
  const again = useMutation({
    mutationFn: (id: string) => api.webhooks.redeliver({ params: { id } }),
    onSuccess: () => {
      announce("It is sent once more")
      void client.invalidateQueries({ queryKey: key })
    }
  })
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Card
      bare
      title="Deliveries"
      actions={
        <Button size="small" icon="run" busy={pages.isFetching} onClick={() => void pages.refetch()}>
          Look again
        </Button>
      }
    >
      {again.error === null ? null : <Problem of={again.error} />}
      <Answered query={pages}>
        {() =>
          rows.length === 0 ? (
            <Empty icon="letter" title="It was told nothing yet">
              <p>Send a test, or wait for the next event.</p>
            </Empty>
          ) : (
            <Table caption="Deliveries" columns={columns(again.mutate)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Answered>
      {pages.hasNextPage ? (
        <div className="card-body">
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      ) : null}
    </Card>
  )
}
