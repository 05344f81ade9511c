/** `pawl completion <shell>`: scripts that know verbs and options by their table, and ask no server. */
import { everyVerbs } from "./CommandLine.ts"
import type { Named } from "./HelpText.ts"
import { operatorNames } from "./OperatorNames.ts"
import { misused } from "./Refused.ts"
import { userVerbs } from "./UserVerbs.ts"
import type { Run, Verb } from "./Verb.ts"

const firsts: ReadonlyArray<Named> = [
  ...new Map([...userVerbs, ...operatorNames].map(({ name, what }) => [name.split(" ")[0] ?? "", what] as const))
].map(([name, what]) => ({ name, what }))

const groups = [
  ...new Set(userVerbs.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0] ?? ""))
]
const under = (group: string): ReadonlyArray<string> =>
  userVerbs.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []))
const optionsOf = ({ options }: Verb): string => [...options, ...everyVerbs].map(({ name }) => `--${name}`).join(" ")

const bash = (): string =>
  `_pawl() {
  local word="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]:-}" second="\${COMP_WORDS[2]:-}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${firsts.map(({ name }) => name).join(" ")}" -- "$word")); return; fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$first" in
${groups.map((group) => `      ${group}) COMPREPLY=($(compgen -W "${under(group).join(" ")}" -- "$word")); return ;;`).join("\n")}
    esac
  fi
  case "$word" in
    -*)
      case "$first $second" in
${userVerbs
  .toSorted((one, other) => other.name.length - one.name.length)
  .map(
    (verb) =>
      `        "${verb.name}${verb.name.includes(" ") ? '"' : ' "*'}) COMPREPLY=($(compgen -W "${optionsOf(verb)}" -- "$word")) ;;`
  )
  .join("\n")}
      esac ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _pawl pawl`

const safe = (text: string): string => text.replaceAll("'", "").replaceAll(":", "")

const zsh = (): string =>
  `#compdef pawl
_pawl() {
  if (( CURRENT == 2 )); then
    local -a verbs=(${firsts.map(({ name, what }) => `'${name}:${safe(what)}'`).join(" ")})
    _describe verb verbs; return
  fi
  if (( CURRENT == 3 )); then
    case "$words[2]" in
${groups.map((group) => `      ${group}) compadd -- ${under(group).join(" ")}; return ;;`).join("\n")}
    esac
  fi
  if [[ "$words[CURRENT]" == -* ]]; then
    case "$words[2] $words[3]" in
${userVerbs
  .toSorted((one, other) => other.name.length - one.name.length)
  .map((verb) => `      "${verb.name}${verb.name.includes(" ") ? '"' : ' "*'}) compadd -- ${optionsOf(verb)} ;;`)
  .join("\n")}
    esac
  else _files; fi
}
if [ "$funcstack[1]" = "_pawl" ]; then _pawl; else compdef _pawl pawl; fi`

const fish = (): string =>
  [
    "complete -c pawl -e",
    ...firsts.map(({ name, what }) => `complete -c pawl -n __fish_use_subcommand -f -a ${name} -d '${safe(what)}'`),
    ...groups.map(
      (group) =>
        `complete -c pawl -n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${under(group).join(" ")}' -f -a '${under(group).join(" ")}'`
    ),
    ...userVerbs.flatMap(({ name, options }) =>
      [...options, ...everyVerbs].map(
        ({ name: option, short, takes, what }) =>
          `complete -c pawl -n '${name
            .split(" ")
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join(
              "; and "
            )}' -l ${option}${short === undefined ? "" : ` -s ${short}`}${takes === undefined ? "" : " -r"} -d '${safe(what)}'`
      )
    )
  ].join("\n")

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish }

/** Prints the script. */
export const completion: Run = async ({ given: [shell = ""] }) => {
  const make = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (make === undefined) throw misused(`there are completions for bash, zsh and fish, not for "${shell}"`)
  const script = make()
  return { json: { shell, script }, text: script }
}
