/**
 * What a check said, without what differs from run to run though nothing else does: how long it took, when it was, where
 * its temporary files lay, which ports and processes it had. Two failures that say the same then are the same. Pure.
 */

/** What is taken out, in this order, and what stands there afterwards. None goes back over what it has read. */
const passing: ReadonlyArray<readonly [RegExp, string]> = [
  // Colours of a terminal.
  // oxlint-disable-next-line no-control-regex
  [/\u001b\[[\d;]*m/g, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  // 2026-11-22T18:36:05.123Z, 2026-11-22 18:36, 2026-11-22
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z\b|[+-]\d\d:?\d\d))?)?/g, "<date>"],
  // Sun Nov 22 2026 18:36:05 GMT+0000 (Coordinated Universal Time), Sun, 22 Nov 2026 18:36:05 GMT
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \d\d?|\d\d? [A-Z][a-z]{2}),? \d{4}(?: \d\d:\d\d:\d\d)?(?: (?:GMT|UTC)(?:[+-]\d{4})?)?(?: \([A-Z][A-Za-z ]{1,40}\))?/g,
    "<date>"
  ],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M\b)?/g, "<time>"],
  // Milliseconds and seconds since 1970, of our days.
  [/\b1[6-9]\d{8}(?:\d{3})?\b/g, "<time>"],
  [/\b(duration_ms|duration|elapsed|took|time)((?:"|')?[:=]? ?)\d+(?:\.\d+)?/gi, "$1$2<duration>"],
  [
    /\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|sec|secs|m|min|mins|h|milliseconds?|seconds?|minutes?|hours?)\b(?! ?\/)/g,
    "<duration>"
  ],
  // The folder that was made for the run, and names in it that end as `mkdtemp` ends them.
  [/(?:\/private)?\/var\/folders\/[^/\s]+\/[^/\s]+\/T\/[^/\s:'"`)\]]+/g, "<folder>"],
  [/(?:\/private)?(?:\/var|\/dev)?\/(?:tmp|shm)\/[^/\s:'"`)\]]+/g, "<folder>"],
  [/(<folder>(?:\/[^/\s:'"`)\]]+){0,8}?[-.])(?=[A-Za-z]*\d|[a-z]*[A-Z])[A-Za-z0-9]{6}(?=[/\s:'"`)\]]|$)/g, "$1<name>"],
  [/(?<![\w.])(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]):\d{2,5}\b/gi, "$1:<port>"],
  [/:::\d{2,5}\b/g, ":::<port>"],
  [/\b(port)((?:"|')?[:=]? ?)\d{2,5}\b/gi, "$1$2<port>"],
  [/\b(pid|process)((?:"|')?[:=]? ?)\d+\b/gi, "$1$2<process>"],
  [/\((node|deno|bun):\d+\)/g, "($1:<process>)"],
  [/\b0x[0-9a-f]{6,16}\b/gi, "<address>"]
]

/** A text without what differs from run to run. */
export const sameWords = (text: string): string =>
  passing.reduce((said, [what, instead]) => said.replace(what, instead), text)
