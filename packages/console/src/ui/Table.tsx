/** Rows with columns; where it is narrow, each row is a card. */
import { Fragment, type ReactNode } from "react"

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
}): ReactNode => (
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
      {rows.map((row) => (
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
