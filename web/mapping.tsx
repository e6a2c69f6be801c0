// The page with the map, in a script of its own, so that those who read load less.
import { MapPage } from './map.tsx'
import { showPage } from './show.tsx'

showPage({ map: MapPage })
