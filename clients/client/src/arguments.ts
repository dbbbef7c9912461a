import type { FilterArguments } from './filters.js'

/** A CSS color name, `RGB`, `RRGGBB` or `RRGGBBAA`; `auto` is the average of the picture, `none` is transparent. */
export type Color = string

type Edge<E extends string> = E | `${E}-${number}` | `${E}-${number}p`

/** Pixels (negative from the right), `'20p'` for percent, a fraction, or an edge with an optional inset. */
export type X = number | `${number}p` | Edge<'left'> | Edge<'right'> | 'center' | 'repeat'

/** Pixels (negative from the bottom), `'20p'` for percent, a fraction, or an edge with an optional inset. */
export type Y = number | `${number}p` | Edge<'top'> | Edge<'bottom'> | 'center' | 'repeat'

/** A region or a point of the source, in pixels or fractions: `'10x10:200x150'`, `'0.5,0.3'`. */
export type Focal = `${number}x${number}:${number}x${number}` | `${number},${number}`

/**
 * The points of a tone curve in the order of x: x and y of each, from 0 to 255. A first argument
 * limits it to one channel.
 */
export type Curve = number[] | [channel: 'r' | 'g' | 'b', ...points: number[]]

/** A filter with its arguments: `['blur', 5]`. Use `null` to skip an optional argument in the middle. */
export type Filter = { [Name in keyof FilterArguments]: readonly [name: Name, ...FilterArguments[Name]] }[keyof FilterArguments]

/** Left, top, right, bottom. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A side in pixels; 0 or undefined to keep the aspect ratio; `'orig'` for the picture's own size. */
export type Side = number | 'orig'

/** The operations on a picture, in the order in which the server applies them. All are optional. */
export interface Operations<S = Side> {
  /**
   * A preset of the server: `'card'`, `['card', 320]`, `'card@3'`; `null` stands for a default.
   * Other operations override it.
   */
  preset?: string | readonly [name: string, ...args: (string | number | null)[]]
  /** Cuts off a border of one color. `tolerance` is 0..442. */
  trim?: boolean | { corner?: 'top-left' | 'bottom-right'; tolerance?: number }
  /** A region of the source: pixels, or fractions if left and top are under 1 and right and bottom at most 1. */
  crop?: Box
  /** Fits the picture into the box instead of cropping it. */
  fit?: 'fit-in' | 'full-fit-in' | 'adaptive-fit-in' | 'adaptive-full-fit-in'
  /** Ignores the aspect ratio. */
  stretch?: boolean
  width?: S
  height?: S
  /** Mirrors left and right. */
  flipX?: boolean
  /** Mirrors top and bottom. */
  flipY?: boolean
  /** Pixels around the picture, filled by the filter `fill`: left, top and, if they differ, right and bottom. */
  padding?: Box | readonly [horizontal: number, vertical: number]
  hAlign?: 'left' | 'center' | 'right'
  vAlign?: 'top' | 'middle' | 'bottom'
  /** Crops around the region that draws attention. */
  smart?: boolean
  filters?: readonly Filter[]
}

/**
 * A picture on top of the picture. Its sides may depend on those of the picture below: `'f'` is the
 * same, `'f-20'` 20 pixels less, `'30p'` 30 percent of it.
 */
export interface Layer extends Operations<Side | 'f' | `f-${number}` | `${number}p`> {
  image: string
}
