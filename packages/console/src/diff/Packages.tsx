/** What the lock files of a Candidate add, remove or move. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Tag } from "../ui/Tag.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import type { Diff } from "./Files.ts"
import { concernsOf, moveOf } from "./PackageWords.ts"

type PackageChange = NonNullable<Diff["packages"]>[number]

const columns: ReadonlyArray<Column<PackageChange>> = [
  { title: "Package", isMain: true, of: ({ name }) => <code>{name}</code> },
  {
    title: "What",
    of: (change) => {
      const { tone, word } = moveOf(change)
      return <Tag tone={tone}>{word}</Tag>
    }
  },
  {
    title: "Version",
    of: ({ from, to }) => <code>{from === null ? to : to === null ? from : from === to ? to : `${from} → ${to}`}</code>
  },
  {
    title: "To know",
    of: (change) => (
      <span className="package-concerns">
        {concernsOf(change).join(" · ") || "Nothing"}
        {(change.advisories ?? []).map(({ id, title, url }) => (
          <Outside key={id} to={url}>
            {title}
          </Outside>
        ))}
      </span>
    )
  }
]

/** Nothing where no package is another. */
export const Packages = ({ changes }: { readonly changes: ReadonlyArray<PackageChange> }): ReactNode =>
  changes.length === 0 ? null : (
    <Card bare title={`Packages (${changes.length})`}>
      <Table
        caption="Packages"
        columns={columns}
        rows={changes}
        keyOf={({ from, name, to }) => `${name} ${from} ${to}`}
      />
    </Card>
  )
