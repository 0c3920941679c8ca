/* skim - the resumable reader: from a source of bytes, given a window at a time, to a skeleton.
 *
 * The skimmer walks the protobuf wire format and knows only which fields nest and which are payload. It copies what the
 * model reader needs into a skeleton, itself valid protobuf: the lengths of messages that are long, or of which something is left out,
 * become 5-byte varints, and a payload (a length-delimited field longer than 1 KiB that is no known message; names, packed dims up
 * to 64 KiB and packed attribute lists up to 10 KiB excepted) is replaced by a record: field number SHP_RECORD_PAYLOAD, a message of
 * { 1: field number, 2: offset, 3: length }. Each message that is or holds a graph, function or value_info closes with a trailer: field
 * number SHP_RECORD_TRAILER, a message of { 1: source offset of its content, 2: source length, 3: width of its length prefix (0 for the
 * model), 4: width of its tag where that is not the shortest }, which the writer of annotations needs.
 * Lists without a length (unpacked `floats` of tree ensembles, `strings`, `string_data`) are walked and only counted beyond
 * SHP_SKIM_LIST entries: record SHP_RECORD_COUNT { 1: field number, 2: number left out }.
 *
 * Left out without a record, whatever their size: doc_string, metadata_props, denotation, quantization_annotation, training_info,
 * segment, device configurations, unknown fields and groups, known fields of another wire type. The writer of annotations
 * copies them from the source.
 * Source: protobuf's encoding; onnx.proto (IR version 14) for field numbers.
 */
#ifndef SHP_SKIM_H
#define SHP_SKIM_H

#include "arena.h"
#include "model.h"

enum { SHP_RECORD_PAYLOAD = 536870911, SHP_RECORD_TRAILER = 536870910, SHP_RECORD_COUNT = 536870909 };
enum { SHP_SKIM_LIST = 1024 };

typedef struct shp_skim shp_skim;

/* size: of the source in bytes, or UINT64_MAX where it is not known before its end. nesting: most messages inside messages (an If in
 * an If is 3 of them: graph, node, attribute). NULL: no memory. */
shp_skim *shp_skim_new(shp_arena *a, uint64_t size, uint32_t nesting);

/* What the skimmer wants next: bytes from *offset on. false: it is done, or failed. */
bool shp_skim_wants(const shp_skim *s, uint64_t *offset);

/* Hands over `len` bytes of the source that begin at `offset` (which must be the one wanted). len 0 says that the source ends at
 * `offset` (which may then lie before the one wanted: inside what was skipped). Takes all of them, or skips over what
 * is payload: ask shp_skim_wants again. Any split into windows gives the same skeleton, the widths of lengths aside. */
void shp_skim_feed(shp_skim *s, uint64_t offset, const uint8_t *bytes, size_t len);

/* For the host's policy of reading through small gaps: how far the wanted offset lies beyond the end of the last window; 0 where
 * nothing is skipped. */
uint64_t shp_skim_skipped(const shp_skim *s);

/* The skeleton once done: NULL where it failed, with *error filled. Not a model at all (HTML, PNG, a Git LFS pointer, zip,
 * TFLite, a .onnx_data file of weights, …) is SHP_E_NOT_ONNX with `path` saying what it looks like. A source that ends early is
 * SHP_E_TRUNCATED: offset is where it ends, path the field that it ends in. Otherwise offset is that of the field's tag. */
const uint8_t *shp_skim_done(shp_skim *s, size_t *size, shp_read_error *error);

#endif
