/** A browser in words, from what it said of itself. What is not known is told as it was said. */

const browsers: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["Edge", /\bEdg\w*\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)\S* .*Safari\//]
]

const systems: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ["an iPhone", /iPhone/],
  ["an iPad", /iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["a Mac", /Macintosh|Mac OS X/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux|X11/]
]

/** "Firefox 140 on Linux". */
export const browserWords = (userAgent: string): string => {
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0]
  for (const [name, pattern] of browsers) {
    const [, version] = pattern.exec(userAgent) ?? []
    if (version !== undefined) return `${name} ${version}${system === undefined ? "" : ` on ${system}`}`
  }
  return userAgent.trim() === "" ? "A browser that did not say which" : userAgent.slice(0, 60)
}
