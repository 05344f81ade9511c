/** One JSON line per event, on standard error. Redacted values print as `<redacted>`. */
import { Logger, LogLevel } from "effect"

const line = Logger.map(Logger.jsonLogger, (text) => {
  process.stderr.write(`${text}\n`)
})

export const layer = Logger.replace(Logger.defaultLogger, line)
export const layerQuiet = Logger.minimumLogLevel(LogLevel.Warning)
