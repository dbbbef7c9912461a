import { setFilter } from './filters'
import type { Operations } from './operations'
import { angleOf, cropBox, leveled, type Size } from './size'

const inside = (value: number, max: number) => Math.min(Math.max(value, 0), max)

/** Straightens by an angle. A crop stays around the same point of the picture, as large as before where there is room. */
export function straighten(o: Operations, angle: number, source: Size): Operations {
  const next = setFilter(o, 'straighten', angle ? String(angle) : null)
  const [from, to] = [leveled(o, source), leveled(next, source)]
  if (!o.crop || (o.crop.right <= 1 && o.crop.bottom <= 1)) return next
  const { left, top, right, bottom } = cropBox(o.crop, from)
  const turn = ((angleOf(next) - angleOf(o)) * Math.PI) / 180
  const [x, y] = [(left + right - from.width) / 2, (top + bottom - from.height) / 2]
  const shrink = Math.min(1, to.width / (right - left), to.height / (bottom - top))
  const [width, height] = [Math.max(1, Math.floor((right - left) * shrink)), Math.max(1, Math.floor((bottom - top) * shrink))]
  const at = {
    left: Math.round(inside(x * Math.cos(turn) + y * Math.sin(turn) + to.width / 2 - width / 2, to.width - width)),
    top: Math.round(inside(y * Math.cos(turn) - x * Math.sin(turn) + to.height / 2 - height / 2, to.height - height)),
  }
  return { ...next, crop: { ...at, right: at.left + width, bottom: at.top + height } }
}
