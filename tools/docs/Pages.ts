/** All pages that are made from the code. */
import { apiPage } from "./ApiPage.ts"
import { architecturePage } from "./ArchitecturePage.ts"
import { appsPage } from "./AppsPage.ts"
import { commandsPage } from "./CommandsPage.ts"
import { errorsPage } from "./ErrorsPage.ts"
import { eventsPage } from "./EventsPage.ts"
import { lanePage } from "./LanePage.ts"
import { limitsPage } from "./LimitsPage.ts"
import { mapPage } from "./MapPage.ts"
import type { Page } from "./Markdown.ts"
import { optionsPage } from "./OptionsPage.ts"
import { routesFile } from "./RoutesFile.ts"
import { statesPage } from "./StatesPage.ts"

export const generatedPages = (): ReadonlyArray<Page> => [
  statesPage(),
  lanePage(),
  limitsPage(),
  eventsPage(),
  optionsPage(),
  errorsPage(),
  appsPage(),
  apiPage(),
  commandsPage(),
  mapPage(),
  architecturePage(),
  routesFile()
]
