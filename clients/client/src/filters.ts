// Generated from imaging/table.go by `go test ./imaging -run TestClientTypes -update`. Do not edit.
import type { Color, Curve, Focal, Layer, X, Y } from './arguments.js'

/** The arguments of each filter, by its name. */
export interface FilterArguments {
  /** Send the result as a download. */
  attachment: [name?: string | null]
  /** Encode as JPEG. */
  autojpg: []
  /** Flatten transparency onto `color`. */
  background_color: [color: Color]
  /** Encode as a palette PNG with `bits` bits per pixel. */
  bitdepth: [bits: 1 | 2 | 4 | 8]
  /** Blur with a Gaussian of sigma `sigma`. */
  blur: [sigma: number, sigma2?: number | null]
  /** Change the brightness by `amount` percent. */
  brightness: [amount: number]
  /** Compress PNG at zlib level `level`. */
  compression: [level: number]
  /** Change the contrast by `amount` percent. */
  contrast: [amount: number]
  /** Crop `width` x `height` from `left`, `top` after resizing. */
  crop: [left: number, top: number, width: number, height: number]
  /** Bend the tones along a curve through `points`. */
  curve: [...points: Curve]
  /** Render SVG and PDF at `n` dots per inch. */
  dpi: [n: number]
  /** Reject the URL after Unix time `ms` (milliseconds). */
  expire: [ms: number]
  /** Change the exposure by `stops` EV. */
  exposure: [stops: number]
  /** Fill the empty part of the box and transparent areas with `color`. */
  fill: [color?: Color | 'blur' | null]
  fill_color: [color?: Color | 'blur' | null]
  /** Encode as `format` if the result is animated and the chosen format does not support animation. */
  fallback_format: [format: string]
  /** Keep `region` of the source in view when cropping. */
  focal: [region: Focal]
  /** Encode as `format`. */
  format: [format: string]
  /** Convert to grayscale. */
  grayscale: []
  greyscale: []
  /** Change the highlights by `amount` percent. */
  highlights: [amount: number]
  /** Rotate the hue by `degrees` degrees. */
  hue: [degrees: number]
  /** Overlay the image `path` at `x`, `y`. */
  image: [path: string | Layer, x?: X | null, y?: Y | null, alpha?: number | null, blend?: 'normal' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'color-dodge' | 'color-burn' | 'hard-light' | 'soft-light' | 'difference' | 'exclusion' | 'add' | 'mask' | 'mask-out' | null, box?: Color | null, padding?: number | null, radius?: number | null, outline?: Color | null, outline_width?: number | null, shadow?: Color | null, shadow_x?: number | null, shadow_y?: number | null, shadow_blur?: number | null]
  /** Invert all colors. */
  invert: []
  /** Keep EXIF, IPTC and XMP except position, serial numbers, thumbnails and maker notes. */
  keep_metadata: []
  /** Draw the line `text` at `x`, `y`. */
  label: [text: string, x?: X | null, y?: Y | null, size?: number | null, color?: Color | null, alpha?: number | null, font?: string | number | null, box?: Color | null, padding?: number | null, radius?: number | null, outline?: Color | null, outline_width?: number | null, shadow?: Color | null, shadow_x?: number | null, shadow_y?: number | null, shadow_blur?: number | null]
  /** Encode losslessly if the format supports it. */
  lossless: []
  /** Let clients and CDNs cache the response for `seconds` seconds. */
  max_age: [seconds: number]
  /** Lower the quality until the file is at most `n` bytes. */
  max_bytes: [n: number]
  /** Keep at most `n` frames. */
  max_frames: [n: number]
  /** Change the brightness by `brightness` percent, the saturation by `saturation` percent and the hue by `hue` degrees. */
  modulate: [brightness: number, saturation: number, hue: number]
  /** Do not upscale. */
  no_upscale: []
  /** Upscale if the image is smaller than the box. */
  upscale: []
  /** Rotate counter-clockwise by `degrees` degrees before all other operations. */
  orient: [degrees: 0 | 90 | 180 | 270]
  /** Add a border of `color`: `left`, `top`, `right`, `bottom` pixels. */
  padding: [color: Color, left: number, top?: number | null, right?: number | null, bottom?: number | null]
  /** Use page or frame `n`. */
  page: [n: number]
  /** Encode as a palette PNG; in /meta, return the most prominent colors. */
  palette: [n?: number | null]
  /** Pixelate in blocks of `block` pixels. */
  pixelate: [block?: number | null]
  /** Cache the decoded source for further edits. */
  preview: []
  /** Scale the result down to `percent` percent. */
  proportion: [percent: number]
  /** Encode with quality `n`. */
  quality: [n: number | 'auto']
  /** Return the source's bytes unchanged. */
  raw: []
  /** Add `r` percent to red, `g` percent to green and `b` percent to blue. */
  rgb: [r: number, g: number, b: number]
  /** Rotate counter-clockwise by `degrees` degrees after resizing. */
  rotate: [degrees: 0 | 90 | 180 | 270]
  /** Round the corners with radii of `rx` x `ry` pixels onto `color`. */
  round_corner: [rx: number, ry?: number | null, color?: Color | null]
  /** Change the saturation by `amount` percent. */
  saturation: [amount: number]
  /** Scale the `of` values of the pixels: linear keeps fine bright details bright. */
  scaling: [of: 'gamma' | 'linear']
  /** Change the shadows by `amount` percent. */
  shadows: [amount: number]
  /** Sharpen with sigma `sigma`. */
  sharpen: [sigma: number]
  /** Encode at the speed `of`: best saves bytes and resizes in linear light, fast saves time. */
  speed: [of: 'best' | 'balanced' | 'fast']
  /** Rotate counter-clockwise by `angle` degrees before cropping and resizing, and cut off the blank corners. */
  straighten: [angle: number]
  /** Stretch to the exact size, ignoring the aspect ratio. */
  stretch: []
  /** Remove EXIF data. */
  strip_exif: []
  /** Convert to sRGB and remove the color profile. */
  strip_icc: []
  /** Remove all metadata. */
  strip_metadata: []
  /** Draw `text` at `x`, `y`. */
  text: [text: string, x?: X | null, y?: Y | null, font?: string | number | null, color?: Color | null, alpha?: number | null, blend?: 'normal' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'color-dodge' | 'color-burn' | 'hard-light' | 'soft-light' | 'difference' | 'exclusion' | 'add' | 'mask' | 'mask-out' | null, width?: string | number | null, align?: 'low' | 'centre' | 'center' | 'high' | null, justify?: 'true' | 'false' | null, wrap?: 'word' | 'char' | 'wordchar' | 'none' | null, spacing?: number | null, dpi?: number | null, box?: Color | null, padding?: number | null, radius?: number | null, outline?: Color | null, outline_width?: number | null, shadow?: Color | null, shadow_x?: number | null, shadow_y?: number | null, shadow_blur?: number | null]
  /** Convert to the `space` color space. */
  to_colorspace: [space: 'srgb' | 'p3' | 'cmyk']
  /** Trim the border that matches the color of the `corner` corner, after resizing. */
  trim: [tolerance?: number | null, corner?: 'top-left' | 'bottom-right' | null]
  /** Change the vibrance by `amount` percent. */
  vibrance: [amount: number]
  /** Overlay the watermark `image` at `x`, `y`. */
  watermark: [image: string | Layer, x?: X | null, y?: Y | null, alpha?: number | null, w_ratio?: string | number | null, h_ratio?: string | number | null]
  /** Take light of `kelvin` kelvin and tint `tint` for white. */
  white_balance: [kelvin: number, tint?: number | null]
  /** Return a BlurHash of `x` x `y` components, in `/meta`. */
  blurhash: [x: number, y: number]
  /** Return a ThumbHash, in `/meta`. */
  thumbhash: []
  /** Return the average color, in `/meta`. */
  avgcolor: []
  /** Return the dominant color, in `/meta`. */
  dominant: []
  /** Return a perceptual hash, in `/meta`. */
  phash: []
  /** Return the SHA-256 of the source's bytes, in `/meta`. */
  sha256: []
  /** Return a tiny placeholder image (LQIP), in `/meta`. */
  lqip: []
  /** Return the IPTC data, in `/meta`. */
  iptc: []
  /** Return the XMP data, in `/meta`. */
  xmp: []
  /** Return the description of the color profile, in `/meta`. */
  icc: []
}
