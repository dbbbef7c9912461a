// Package pixels decodes, scales and encodes stills in memory, where that takes much less than libvips does. All else is
// left to libvips, which also reads all metadata. It knows nothing of libvips; imaging/vips makes images of its pixels.
//
// The files are named by stage:
//   - decode_*: JPEG by libjpeg with a Huffman decoder of our own, PNG by libdeflate, lossy WebP by libwebp. A JPEG can be
//     decoded at several scales at once (decode_jpeg_multiscale), or scaled while it is decoded (decode_jpeg_reduce).
//   - reduce*: scaling down, in blocks of eight rows: weights, vertical pass (reducev), transposition, horizontal pass
//     (reduceh).
//   - encode_*: JPEG by libjpeg, PNG by libdeflate, WebP by libwebp.
package pixels

// Picture is pixels of 8 bits a sample, row by row without gaps: gray or RGB, with or without alpha.
type Picture struct {
	Pixels               []byte
	Width, Height, Bands int
	PerMeter             [2]uint32 // pixels to a meter, across and down
}
