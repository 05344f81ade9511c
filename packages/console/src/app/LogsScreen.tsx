/** `/p/<label>/logs`: what the app prints and throws, as it happens. */
import { type ReactNode, useState } from "react"
import { useApp } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Outside } from "../ui/Outside.tsx"
import { LogList } from "./LogList.tsx"
import { type Followed, type Following, useLogLines } from "./LogStream.ts"
import { channelsOf, filtered, type LogFilter, rowsMost } from "./LogWindow.ts"
import "./app.css"

const nothing: LogFilter = { text: "", level: "", channel: "" }

const Filter = ({
  channels,
  filter,
  set
}: {
  readonly filter: LogFilter
  readonly channels: ReadonlyArray<string>
  readonly set: (filter: LogFilter) => void
}): ReactNode => (
  <div className="log-filter">
    <TextField
      label="With the words"
      type="search"
      data-search
      autoComplete="off"
      value={filter.text}
      onChange={({ target }) => set({ ...filter, text: target.value })}
    />
    <SelectField
      label="Level"
      value={filter.level}
      onChange={({ target }) => set({ ...filter, level: target.value as LogFilter["level"] })}
    >
      <option value="">all</option>
      <option value="info">info and worse</option>
      <option value="warn">warnings and errors</option>
      <option value="error">errors</option>
    </SelectField>
    <SelectField
      label="Channel"
      value={filter.channel}
      onChange={({ target }) => set({ ...filter, channel: target.value })}
    >
      <option value="">all</option>
      {channels.map((channel) => (
        <option key={channel}>{channel}</option>
      ))}
    </SelectField>
  </div>
)

const Silent = (): ReactNode => {
  const { id, label } = useProjectHere()
  const app = useApp(id).data?.app
  return (
    <Card bare>
      <Empty icon="machine" title="The app has printed nothing">
        {app?.status === "live" ? (
          <p>
            What it prints by <code>console</code> and what it throws stands here within a second. Open{" "}
            <Outside to={app.url}>the app</Outside> to have it work.
          </p>
        ) : (
          <>
            <p>It is not live.</p>
            <LinkButton to={`/p/${label}`}>See why</LinkButton>
          </>
        )}
      </Empty>
    </Card>
  )
}

const words: Readonly<Record<Exclude<Following, "open" | "connecting">, string>> = {
  lost: "The lines do not come: the connection was lost. The page goes on trying.",
  off: "The server sends no lines: there may be too many streams open. Close other tabs, and load the page again."
}

const Lines = ({ followed: { is, rows } }: { readonly followed: Followed }): ReactNode => {
  const [filter, setFilter] = useState(nothing)
  const shown = filtered(rows, filter)
  return (
    <>
      {is === "lost" || is === "off" ? (
        <Notice tone="warn" icon="warn">
          {words[is]}
        </Notice>
      ) : null}
      {rows.length === 0 ? (
        is === "open" ? (
          <Silent />
        ) : null
      ) : (
        <>
          <Filter filter={filter} channels={channelsOf(rows)} set={setFilter} />
          {shown.length === 0 ? (
            <Card bare>
              <Empty icon="search" title="No line fits">
                <p>{rows.length} lines are here, and the filter lets none through.</p>
                <Button onClick={() => setFilter(nothing)}>Show all</Button>
              </Empty>
            </Card>
          ) : (
            <LogList key={JSON.stringify(filter)} rows={shown} />
          )}
        </>
      )}
    </>
  )
}

/** The lines of the Project's app and of its previews. */
export default function LogsScreen(): ReactNode {
  const { id } = useProjectHere()
  const followed = useLogLines(id)
  return (
    <Screen
      title="Logs"
      lead={`What the app and its previews print and throw, the newest last. The last ${rowsMost.toLocaleString("en")} lines are kept.`}
    >
      <Lines followed={followed} />
    </Screen>
  )
}
