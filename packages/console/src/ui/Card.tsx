/** A part of a screen with an edge. */
import type { ReactNode } from "react"

/** With a title it is a section that screen readers find. `bare` leaves the space to what is in it: a table. */
export const Card = ({
  actions,
  bare = false,
  children,
  title
}: {
  readonly title?: string
  readonly actions?: ReactNode
  readonly bare?: boolean
  readonly children: ReactNode
}): ReactNode => (
  <section className="card" aria-label={title}>
    {title === undefined ? null : (
      <div className="card-head">
        <h2>{title}</h2>
        {actions}
      </div>
    )}
    <div className={bare ? undefined : "card-body"}>{children}</div>
  </section>
)
