/** What lies in a folder, or what fits the letters that are looked for. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { bytes } from "../ui/Amounts.ts"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Icon } from "../ui/Icon.tsx"
import type { FolderRow } from "./Listing.ts"

/** `linkTo` makes the address of a path. */
export const FolderView = ({
  linkTo,
  rows
}: {
  readonly rows: ReadonlyArray<FolderRow>
  readonly linkTo: (path: string) => string
}): ReactNode => (
  <Card bare>
    {rows.length === 0 ? (
      <Empty icon="search" title="No file is here">
        <p>Go up, look for other letters, or choose another generation.</p>
      </Empty>
    ) : (
      <ul role="list" className="folder">
        {rows.map((row) => (
          <li key={row.path}>
            <Icon name={row.isFolder ? "box" : "dot"} />
            <Link href={linkTo(row.path)} data-row>
              {row.name}
              {row.isFolder ? "/" : ""}
            </Link>
            <span>{row.isFolder ? `${row.inside} ${row.inside === 1 ? "file" : "files"}` : bytes(row.size)}</span>
          </li>
        ))}
      </ul>
    )}
  </Card>
)
