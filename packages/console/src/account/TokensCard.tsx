/** One's tokens: what each may do, until when, and the way to end it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { usePages } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { scopes } from "./ScopeWords.ts"
import { NewToken } from "./NewToken.tsx"
import { stateOf, tokensKey } from "./TokenState.ts"

type Token = Answer<"account", "tokens">["items"][number]

const looks = { live: "Counts", ended: "Has ended", revoked: "Revoked" } as const

const columns = (revoke: (token: Token) => void): ReadonlyArray<Column<Token>> => [
  {
    title: "Token",
    isMain: true,
    of: ({ id, name }) => (
      <div className="named">
        <span>{name}</span>
        <span>
          <Id id={id} label="token" />
        </span>
      </div>
    )
  },
  {
    title: "May",
    of: (token) => (
      <span className="tags">
        {token.scopes.length === scopes.length ? (
          <Tag>all that you may</Tag>
        ) : (
          token.scopes.map((each) => <Tag key={each}>{each}</Tag>)
        )}
      </span>
    )
  },
  {
    title: "Status",
    of: (token) => {
      const state = stateOf(token, Date.now())
      return <Status of={state === "live" ? "active" : "cancelled"} words={looks[state]} />
    }
  },
  { title: "Ends", of: ({ expiresAt }) => (expiresAt === null ? "never" : <Time at={expiresAt} />) },
  { title: "Issued", of: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: "",
    align: "end",
    of: (token) =>
      stateOf(token, Date.now()) === "live" ? (
        <Button size="small" look="danger" aria-label={`Revoke ${token.name}`} onClick={() => revoke(token)}>
          Revoke
        </Button>
      ) : null
  }
]

const Revoking = ({ onClose, token }: { readonly token: Token; readonly onClose: () => void }): ReactNode => {
  const client = useQueryClient()
  const revoking = useMutation({
    mutationFn: () => api.account.revokeToken({ params: { id: token.id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: tokensKey })
      announce(`${token.name} is revoked`)
      onClose()
    }
  })
  return (
    <Confirm
      title={`Revoke ${token.name}?`}
      act="Revoke it"
      isBusy={revoking.isPending}
      error={revoking.error}
      onClose={onClose}
      onConfirm={() => revoking.mutate()}
    >
      <p>Whatever uses it is refused from its next request on, and browsers that signed in by it are signed out.</p>
    </Confirm>
  )
}

const Rows = ({ rows, revoke }: { readonly rows: ReadonlyArray<Token>; readonly revoke: (token: Token) => void }) =>
  rows.length === 0 ? (
    <Empty icon="key" title="You have no tokens">
      <p>Programs and command lines act for you by a token. Issue one for each, so that you can revoke it alone.</p>
    </Empty>
  ) : (
    <Table caption="Your tokens" columns={columns(revoke)} rows={rows} keyOf={({ id }) => id} />
  )

/** The list, with those that count first. */
export const TokensCard = (): ReactNode => {
  const [isIssuing, setIssuing] = useState(false)
  const [revoked, setRevoked] = useState<Token | null>(null)
  const tokens = usePages<Token>([...tokensKey], (cursor, options) =>
    api.account.tokens({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }, options)
  )
  return (
    <Card
      bare
      title="Tokens"
      actions={
        <Button size="small" icon="plus" onClick={() => setIssuing(true)}>
          New token
        </Button>
      }
    >
      <Answered query={tokens} lines={3}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items).toReversed()
          const live = all.filter((each) => stateOf(each, Date.now()) === "live")
          const over = all.filter((each) => !live.includes(each))
          return <Rows rows={[...live, ...over]} revoke={setRevoked} />
        }}
      </Answered>
      {tokens.hasNextPage ? (
        <Button busy={tokens.isFetchingNextPage} onClick={() => void tokens.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {isIssuing ? <NewToken onClose={() => setIssuing(false)} /> : null}
      {revoked === null ? null : <Revoking token={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  )
}
