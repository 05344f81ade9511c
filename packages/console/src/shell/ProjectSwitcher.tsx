/** In the bar: the Project that one is in, and the way to the others. */
import { type ReactNode, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { useFirstProjects } from "../project/ByLabel.ts"
import { Answered } from "../ui/Answered.tsx"
import { Icon } from "../ui/Icon.tsx"
import { labelIn } from "./Place.ts"

/** The id of the list, which keys open too. */
export const switcherId = "projects-pop"

/** From this many on there is a field to filter them by. */
const many = 8

/** A button with a list. */
export const ProjectSwitcher = (): ReactNode => {
  const [path] = useLocation()
  const label = labelIn(path)
  const [isShown, setShown] = useState(false)
  const [filter, setFilter] = useState("")
  const pop = useRef<HTMLDivElement>(null)
  const projects = useFirstProjects(isShown)
  const wanted = filter.trim().toLowerCase()
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
        onToggle={(event) => setShown(event.newState === "open")}
      >
        <Answered query={projects} lines={3}>
          {(all) => (
            <>
              {all.length < many ? null : (
                <input
                  className="input"
                  type="search"
                  aria-label="Filter the Projects"
                  placeholder="Filter"
                  value={filter}
                  onChange={({ target }) => setFilter(target.value)}
                />
              )}
              {all
                .filter((each) => `${each.name} ${each.label}`.toLowerCase().includes(wanted))
                .map((each) => (
                  <Link
                    key={each.id}
                    href={`/p/${each.label}`}
                    className="pop-item"
                    aria-current={each.label === label ? "true" : undefined}
                    onClick={() => pop.current?.hidePopover()}
                  >
                    {each.name}
                    {each.name === each.label ? null : <small>{each.label}</small>}
                  </Link>
                ))}
            </>
          )}
        </Answered>
        <hr className="pop-rule" />
        <Link href="/projects" className="pop-item" onClick={() => pop.current?.hidePopover()}>
          <Icon name="box" /> All Projects
        </Link>
      </div>
    </>
  )
}
