/** What is pressed, and what leads somewhere but looks as if it was pressed. */
import { type ButtonHTMLAttributes, type ReactNode, useId } from "react"
import { Link } from "wouter"
import { Icon, type IconName } from "./Icon.tsx"

interface Looks {
  /** Default: an ordinary one. One `primary` on a screen. */
  readonly look?: "primary" | "danger" | "quiet"
  readonly size?: "small"
  readonly icon?: IconName
  readonly children: ReactNode
}

/** A button. With `why` it cannot be pressed, and says why; with `busy` it cannot be pressed again. */
export const Button = ({
  busy = false,
  children,
  icon,
  look,
  onClick,
  size,
  why,
  ...rest
}: Looks &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled" | "className"> & {
    readonly why?: string | null
    readonly busy?: boolean
  }): ReactNode => {
  const reason = useId()
  const isOff = busy || (why !== undefined && why !== null)
  return (
    <span>
      <button
        type="button"
        {...rest}
        className="button"
        data-look={look}
        data-size={size}
        aria-disabled={isOff}
        aria-busy={busy}
        aria-describedby={why == null ? rest["aria-describedby"] : reason}
        // It stays in the order of the keyboard, so that everybody hears why it is off.
        onClick={(event) => (isOff ? event.preventDefault() : onClick?.(event))}
      >
        {icon === undefined ? null : <Icon name={icon} />}
        {children}
      </button>
      {why == null ? null : (
        <small id={reason} className="button-reason">
          {why}
        </small>
      )}
    </span>
  )
}

/** A link within the console that looks like a button. */
export const LinkButton = ({ children, icon, look, size, to }: Looks & { readonly to: string }): ReactNode => (
  <Link href={to} className="button" data-look={look} data-size={size}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </Link>
)

/** A button that is only a picture; `label` is its name. */
export const IconButton = ({
  icon,
  label,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  readonly icon: IconName
  readonly label: string
}): ReactNode => (
  <button type="button" {...rest} className="icon-button" aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
)
