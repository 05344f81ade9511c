/** Rows with columns; where it is narrow, each row is a card. */
import { Fragment, type ReactNode, startTransition, useEffect, useState } from "react"

/** Rows that are drawn at once: more than a window shows. The others follow, so that a long list holds up no hand. */
const firstRows = 16

/** How many of some rows are drawn: all of them two frames after the first. */
const useGrowing = (count: number): number => {
  const [isWhole, setWhole] = useState(count <= firstRows)
  useEffect(() => {
    if (isWhole) return undefined
    const frame = requestAnimationFrame(() => startTransition(() => setWhole(true)))
    return () => cancelAnimationFrame(frame)
  }, [isWhole])
  return isWhole ? count : Math.min(count, firstRows)
}

/** One column of a table of `Row`s. */
export interface Column<Row> {
  /** Stands above, and beside the value where rows are cards. */
  readonly title: string
  readonly of: (row: Row) => ReactNode
  readonly align?: "end"
  /** What the row is: in cards it stands first, without its title. One column has it. */
  readonly isMain?: boolean
}

/** `caption` is the table's name for screen readers. */
export const Table = <Row,>({
  caption,
  columns,
  keyOf,
  rows
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}): ReactNode => {
  const shown = useGrowing(rows.length)
  return (
    <table className="table">
      <caption className="hidden-text">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ align, title }) => (
            <th key={title} scope="col" data-align={align}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, shown).map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ align, isMain, of, title }) => (
              <td key={title} data-label={title} data-align={align} data-main={isMain}>
                <Fragment>{of(row)}</Fragment>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
