import { layerMemory } from "@pawl/adapters-memory/MemoryRouteReader"
import { routeReaderContract } from "@pawl/testing/contracts/release/RouteReaderContract"

routeReaderContract("MemoryRouteReader", { layer: layerMemory })
