/** The public keys that sign what the installation says. Anyone may compare them. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"

type SigningKey = Answer<"keys", "keys">["keys"][number]

const looks: Readonly<Record<SigningKey["state"], readonly [status: string, words: string]>> = {
  current: ["active", "Signs"],
  retired: ["cancelled", "Retired"],
  revoked: ["failed", "Revoked: it was stolen"]
}

const uses: Readonly<Record<SigningKey["use"], string>> = {
  statement: "statements of promotions",
  log: "checkpoints of the log",
  recovery: "the way back, when the others are lost"
}

const columns: ReadonlyArray<Column<SigningKey>> = [
  { title: "Key", isMain: true, of: ({ keyid }) => <code className="keyid">{keyid}</code> },
  { title: "Signs", of: ({ use }) => uses[use] },
  {
    title: "State",
    of: ({ state }) => {
      const [status, words] = looks[state]
      return <Status of={status} words={words} />
    }
  },
  { title: "Since", of: ({ createdAt }) => <Time at={createdAt} /> }
]

/** In the order in which they were introduced. */
export const SigningKeys = (): ReactNode => {
  const query = useAnswer(["keys"], async (options) => (await api.keys.keys({}, options)).keys)
  return (
    <Card bare title="Signing keys">
      <Answered query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="key" title="Nothing is signed here">
              <p>PAWL_PROVENANCE says whether promotions are signed.</p>
            </Empty>
          ) : (
            <Table caption="Public keys" columns={columns} rows={rows} keyOf={({ keyid }) => keyid} />
          )
        }
      </Answered>
    </Card>
  )
}
