/** Names and values, one below the other. */
import { Fragment, type ReactNode } from "react"

/** What is null is left out. */
export const Facts = ({ of }: { readonly of: Readonly<Record<string, ReactNode>> }): ReactNode => (
  <dl className="facts">
    {Object.entries(of).map(([name, value]) =>
      value === null ? null : (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      )
    )}
  </dl>
)
