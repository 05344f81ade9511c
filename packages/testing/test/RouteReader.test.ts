import { layerMemory } from "@pawl/core/release/MemoryRouteReader"
import { routeReaderContract } from "@pawl/testing/RouteReaderContract"

routeReaderContract("MemoryRouteReader", { layer: layerMemory })
