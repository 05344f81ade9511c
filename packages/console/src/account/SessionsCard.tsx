/** Browsers that are signed in as oneself, and the way to sign them out from here. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { useSignedIn } from "./Me.ts"
import type { Session } from "../api/Session.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { browserWords } from "./BrowserWords.ts"

const ways: Readonly<Record<Session["how"], string>> = {
  token: "by a token",
  link: "by a printed link",
  oidc: "by the identity provider"
}

const columns = (
  here: string | undefined,
  end: (ids: ReadonlyArray<string>) => void
): ReadonlyArray<Column<Session>> => [
  {
    title: "Browser",
    isMain: true,
    of: ({ id, userAgent }) => (
      <span className="row">
        <strong>{browserWords(userAgent)}</strong>
        {id === here ? <Tag tone="good">this one</Tag> : null}
      </span>
    )
  },
  { title: "Signed in", of: ({ how }) => ways[how] },
  { title: "Since", of: ({ createdAt }) => <Time at={createdAt} /> },
  { title: "Last used", of: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { title: "Ends", of: ({ endsAt }) => <Time at={endsAt} /> },
  {
    title: "",
    align: "end",
    of: ({ id, userAgent }) =>
      id === here ? null : (
        <Button size="small" look="danger" aria-label={`End ${browserWords(userAgent)}`} onClick={() => end([id])}>
          End
        </Button>
      )
  }
]

/** One's sessions. The one of this browser is ended by signing out. */
export const SessionsCard = (): ReactNode => {
  const client = useQueryClient()
  const here = useSignedIn().data?.session?.id
  const sessions = useAnswer(["sessions"], async (options) => (await api.sessions.list({}, options)).items)
  const ending = useMutation({
    mutationFn: async (ids: ReadonlyArray<string>) => {
      for (const id of ids) await api.sessions.revoke({ params: { id } })
    },
    onSuccess: (_, ids) => announce(ids.length === 1 ? "The session is ended" : `${ids.length} sessions are ended`),
    onSettled: () => client.invalidateQueries({ queryKey: ["sessions"] })
  })
  const others = (sessions.data ?? []).filter(({ id }) => id !== here).map(({ id }) => id)
  return (
    <Card
      bare
      title="Sessions"
      actions={
        others.length === 0 ? null : (
          <Button size="small" look="danger" busy={ending.isPending} onClick={() => ending.mutate(others)}>
            End all others
          </Button>
        )
      }
    >
      {ending.error === null ? null : <Problem of={ending.error} />}
      <Answered query={sessions} lines={2}>
        {(rows) => (
          <Table
            caption="Browsers that are signed in as you"
            columns={columns(here, ending.mutate)}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
    </Card>
  )
}
