/** What the installation itself gave up: for the owners who look after it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"

type Letter = Answer<"deadLetters", "ofDirectory">["items"][number]

const key = ["dead-letters", "directory"]

const columns = (retry: (letter: Letter) => void, dismiss: (letter: Letter) => void): ReadonlyArray<Column<Letter>> => [
  {
    title: "Work",
    isMain: true,
    of: ({ attempts, kind }) => (
      <div className="named">
        <span>{kind}</span>
        <small>failed {attempts} times</small>
      </div>
    )
  },
  { title: "Why", of: ({ lastProblem }) => lastProblem ?? "It did not say" },
  { title: "Gave up", of: ({ diedAt }) => <Time at={diedAt} /> },
  {
    title: "",
    align: "end",
    of: (letter) => (
      <span className="row row-end">
        <Button size="small" onClick={() => retry(letter)}>
          Retry
        </Button>
        <Button size="small" look="danger" onClick={() => dismiss(letter)}>
          Dismiss
        </Button>
      </span>
    )
  }
]

/** Dead letters of no Project, and of Projects that could not be made. */
export const DirectoryLetters = (): ReactNode => {
  const client = useQueryClient()
  const [dismissed, setDismissed] = useState<Letter | null>(null)
  const letters = useAnswer(key, async (options) => (await api.deadLetters.ofDirectory({ query: {} }, options)).items)
  const stale = () => client.invalidateQueries({ queryKey: key })
  const retrying = useMutation({
    mutationFn: ({ id }: Letter) => api.deadLetters.retry({ params: { id } }),
    onSuccess: () => {
      announce("It is tried again")
      return stale()
    }
  })
  const dismissing = useMutation({
    mutationFn: ({ id }: Letter) => api.deadLetters.dismiss({ params: { id } }),
    onSuccess: () => {
      announce("It is dismissed")
      setDismissed(null)
      return stale()
    }
  })
  return (
    <Card bare title="Gave up">
      {retrying.error === null ? null : <Problem of={retrying.error} />}
      <Answered query={letters} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="check" title="Nothing was given up">
              <p>Upkeep that fails too often, and Projects that could not be made, wait here for an owner.</p>
            </Empty>
          ) : (
            <Table
              caption="Work that was given up"
              columns={columns(retrying.mutate, setDismissed)}
              rows={rows}
              keyOf={({ id }) => id}
            />
          )
        }
      </Answered>
      {dismissed === null ? null : (
        <Confirm
          title={`Dismiss ${dismissed.kind}?`}
          act="Dismiss it"
          isBusy={dismissing.isPending}
          error={dismissing.error}
          onClose={() => setDismissed(null)}
          onConfirm={() => dismissing.mutate(dismissed)}
        >
          <p>It is not done, and nobody tries again. A Project that could not be made is archived.</p>
        </Confirm>
      )}
    </Card>
  )
}
