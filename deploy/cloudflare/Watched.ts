/**
 * The script with the objects as a test has it that plays days: their clock is ahead of this machine's, their rows can be
 * read, and the table `watched_hint` has what hints came. Its own code is as it is deployed. Alarms come when they would, by
 * this machine's clock.
 */

/** What an object answers there beside its own calls. */
export interface Watched {
  /** The rows that a statement answers. */
  readonly rows: (sql: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

const clock = (aheadMs: number): string => `
const now = Date.now.bind(Date)
Date.now = () => now() + ${aheadMs}
let isBehind = false
export const setBack = (storage) => {
  if (isBehind) return
  isBehind = true
  const shared = Object.getPrototypeOf(storage)
  const { setAlarm } = shared
  shared.setAlarm = function (at, ...rest) { return setAlarm.call(this, at - ${aheadMs}, ...rest) }
}`

const around = `
import { setBack } from "./clock.js"
import * as own from "./own.js"
export * from "./own.js"
export default own.default
const watched = (Own) => class extends Own {
  constructor(ctx, env) {
    setBack(ctx.storage)
    super(ctx, env)
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS watched_hint (body TEXT NOT NULL)")
  }
  rows(sql) { return this.ctx.storage.sql.exec(sql).toArray() }
  hinted(hint) {
    this.ctx.storage.sql.exec("INSERT INTO watched_hint (body) VALUES (?)", JSON.stringify(hint))
    return super.hinted(hint)
  }
}
export const DirectoryObject = watched(own.DirectoryObject)
export const ProjectObject = watched(own.ProjectObject)`

/** The modules of that script, the main one first. */
export const watchedModules = (main: string, aheadMs: number) =>
  [
    ["index", around],
    ["clock", clock(aheadMs)],
    ["own", main]
  ].map(([name, contents]) => ({ type: "ESModule", path: `/${name}.js`, contents }))
