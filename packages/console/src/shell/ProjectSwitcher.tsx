/** In the bar: the Project that one is in, the way to the others, and to every screen by its name (Ctrl K). */
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react"
import { Link } from "wouter"
import { useFirstProjects } from "../project/ByLabel.ts"
import { Answered } from "../ui/Answered.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useLabelHere } from "./LabelHere.ts"
import { commandsAt, isMeant } from "./Places.ts"

/** The id of the list, which keys open too. */
export const switcherId = "projects-pop"

interface Offered {
  readonly to: string
  readonly title: string
  readonly more?: string | undefined
  readonly isHere?: boolean
}

const Items = ({ of, leave }: { readonly of: ReadonlyArray<Offered>; readonly leave: () => void }): ReactNode =>
  of.map(({ isHere, more, title, to }) => (
    <Link key={to} href={to} className="pop-item" aria-current={isHere === true ? "true" : undefined} onClick={leave}>
      {title}
      {more === undefined ? null : <small>{more}</small>}
    </Link>
  ))

/** The browser gives it the focus when what it is in is shown. React's own `autoFocus` does that once, by itself. */
const focusedByBrowser = (field: HTMLInputElement | null): void => field?.setAttribute("autofocus", "")

/** Arrows go through the items, and Enter in the field takes the first. */
const move = (event: KeyboardEvent<HTMLElement>): void => {
  const items = Array.from(event.currentTarget.querySelectorAll<HTMLElement>(".pop-item"))
  const at = items.findIndex((each) => each === document.activeElement)
  if (event.key === "Enter" && at === -1) items[0]?.click()
  else if (event.key === "ArrowDown") items[at + 1]?.focus()
  else if (event.key === "ArrowUp" && at > 0) items[at - 1]?.focus()
  else if (event.key === "ArrowUp" && at === 0) event.currentTarget.querySelector("input")?.focus()
  else return
  event.preventDefault()
}

/** A button with a list. */
export const ProjectSwitcher = (): ReactNode => {
  const label = useLabelHere()
  const [isShown, setShown] = useState(false)
  const [typed, setTyped] = useState("")
  const pop = useRef<HTMLDivElement>(null)
  const projects = useFirstProjects(isShown)
  const leave = () => pop.current?.hidePopover()
  // Before, and not after: what somebody types at once is not lost, and what was typed last time is gone.
  const toggles = (isOpening: boolean) => {
    setShown(isOpening)
    if (isOpening) setTyped("")
  }
  return (
    <>
      <button type="button" className="button" data-look="quiet" popoverTarget={switcherId}>
        {label ?? "All Projects"}
        <Icon name="chevron" />
      </button>
      <div
        ref={pop}
        id={switcherId}
        popover="auto"
        className="pop pop-projects"
        onKeyDown={move}
        onBeforeToggle={(event) => toggles(event.newState === "open")}
      >
        <input
          ref={focusedByBrowser}
          className="input"
          type="search"
          aria-label="Go to"
          placeholder="Go to a Project or a screen"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {isShown ? (
          <>
            <Answered query={projects} lines={3}>
              {(all) => (
                <Items
                  leave={leave}
                  of={all
                    .map((each) => ({
                      to: `/p/${each.label}`,
                      title: each.name,
                      more: each.name === each.label ? undefined : each.label,
                      isHere: each.label === label
                    }))
                    .filter(({ more = "", title }) => isMeant(typed, `${title} ${more}`))}
                />
              )}
            </Answered>
            <hr className="pop-rule" />
            <Items leave={leave} of={commandsAt(label).filter(({ title }) => isMeant(typed, title))} />
          </>
        ) : null}
      </div>
    </>
  )
}
